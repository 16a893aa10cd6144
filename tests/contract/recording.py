"""Servicers made from descriptors: they keep what arrives and answer what they are told."""

import asyncio
from collections.abc import Callable
from typing import Any

from contract.services import all_services
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message


class Recorder:
    """One for all servicers of a server."""

    def __init__(self) -> None:
        self.requests: list[Message] = []
        # What the next calls answer; streams send all, unary methods the first.
        self.answers: list[Message] = []
        # Raised when the answers are sent.
        self.failure: Exception | None = None
        # While set, methods don't end.
        self.hangs = False
        self.ended = asyncio.Event()

    def servicers(self) -> list[object]:
        return [
            type(
                f"Recording{service.name}",
                (generated,),
                {method.name: self._method(method) for method in service.methods},
            )()
            for service, generated in all_services()
        ]

    async def finish(self) -> None:
        if self.failure is not None:
            raise self.failure
        if self.hangs:
            try:
                await asyncio.Event().wait()
            finally:
                self.ended.set()

    def _method(self, method: MethodDescriptor) -> Callable[..., Any]:
        async def unary(_servicer: object, request: Message, _context: object) -> Message:
            self.requests.append(request)
            await self.finish()
            return self.answers[0]

        async def stream(_servicer: object, request: Message, _context: object) -> Any:
            self.requests.append(request)
            after = getattr(request, "after_event_id", 0)
            for answer in self.answers:
                if getattr(answer, "event_id", after + 1) > after:
                    yield answer
            await self.finish()

        return stream if method.server_streaming else unary
