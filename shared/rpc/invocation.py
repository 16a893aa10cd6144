"""Running a servicer's method, the same for every transport: what it is given, what its failures become."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

import structlog
from google.protobuf.message import Message

from shared.errors import Code, LecternError
from shared.rpc.methods import Method

INTERNAL_MESSAGE: Final = "Something went wrong on the server. Its log has the details under the request id."

_log = structlog.get_logger(__name__)


class CallContext:
    """What a servicer may ask about an in-process call; the part of grpc.aio.ServicerContext that we use."""

    def __init__(self, *, metadata: tuple[tuple[str, str], ...], peer: str) -> None:
        self._metadata = metadata
        self._peer = peer

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return self._metadata

    def peer(self) -> str:
        return self._peer

    async def abort(self, *_arguments: object, **_named: object) -> NoReturn:
        raise TypeError("Servicers raise LecternError; context.abort works on one transport only.")


async def unary_answer(method: Method, request: Message, context: object) -> Message:
    with _failures_translated(method):
        answer: Message = await method.behavior(request, context)
        return answer


async def streamed_answers(method: Method, request: Message, context: object) -> AsyncGenerator[Message]:
    with _failures_translated(method):
        answers = method.behavior(request, context)
        try:
            async for answer in answers:
                yield answer
        finally:
            if isinstance(answers, AsyncGenerator):
                await answers.aclose()


@contextmanager
def _failures_translated(method: Method) -> Iterator[None]:
    try:
        yield
    except LecternError as error:
        _log.debug("rpc refused", method=method.path, code=error.code.name, reason=error.reason)
        raise
    except Exception as error:
        _log.exception("rpc failed unexpectedly", method=method.path)
        raise LecternError(Code.INTERNAL, INTERNAL_MESSAGE) from error
