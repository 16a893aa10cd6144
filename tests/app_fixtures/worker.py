"""A compute worker small enough for tests of the app: real gRPC, real objects, state that can be steered."""

import asyncio
import gzip
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

from lectern.compute.v1 import (
    documents_pb2,
    operations_pb2,
    page_images_pb2,
    playback_pb2,
    recordings_pb2,
    speech_pb2,
)
from lectern.compute.v1.documents_pb2_grpc import DocumentServiceServicer
from lectern.compute.v1.operations_pb2_grpc import OperationServiceServicer
from lectern.compute.v1.page_images_pb2_grpc import PageImageServiceServicer
from lectern.compute.v1.playback_pb2_grpc import PlaybackServiceServicer
from lectern.compute.v1.recordings_pb2_grpc import RecordingServiceServicer
from lectern.compute.v1.speech_pb2_grpc import SpeechServiceServicer
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectStore
from shared.page_images import PageImage, Tile, page_image_key
from shared.readings import PARSER_VERSION

PAGE = b"\xff\xd8\xff" + bytes(64)
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(64)


class StatefulWorker:
    """A file with the word "unreadable" in it fails, one with "locked" wants the password "sesame";
    may_finish holds every parsing back."""

    def __init__(self, *, objects: ObjectStore) -> None:
        self.objects = objects
        self.operations: dict[str, operations_pb2.Operation] = {}
        self.parse_requests: list[documents_pb2.ParseDocumentRequest] = []
        self.pages_drawn: list[page_images_pb2.DrawPageRequest] = []
        self.cancelled: list[str] = []
        self.sessions: dict[str, playback_pb2.CreateSessionRequest] = {}
        self.session_events: dict[str, list[playback_pb2.WatchSessionResponse]] = {}
        self.cursors: list[playback_pb2.UpdateCursorRequest] = []
        self.refuses_token = False
        self.is_crowded = False
        self.parser_version = PARSER_VERSION
        self.paragraphs = ["Hello."]
        self.fails_with = ""
        self.may_finish = asyncio.Event()
        self.may_finish.set()
        self.changed = asyncio.Condition()
        self.serve: Callable[[AsyncExitStack], Awaitable[None]] | None = None
        self._stack: AsyncExitStack | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        assert self.serve
        self._stack = AsyncExitStack()
        await self.serve(self._stack)

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._stack:
            await self._stack.aclose()
            self._stack = None

    def servicers(self) -> list[object]:
        return [
            _Documents(self),
            _Operations(self),
            _Playback(self),
            _Speech(self),
            _Recordings(self),
            _PageImages(self),
        ]

    def begin(self, operation: operations_pb2.Operation, request: documents_pb2.ParseDocumentRequest) -> None:
        task = asyncio.create_task(self._parse(operation, request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def begin_alignment(self, operation: operations_pb2.Operation, recording_id: str) -> None:
        task = asyncio.create_task(self._align(operation, recording_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _align(self, operation: operations_pb2.Operation, recording_id: str) -> None:
        operation.state = operations_pb2.OPERATION_STATE_RUNNING
        operation.progress.CopyFrom(operations_pb2.Progress(phase="aligning", done=60, total=120))
        await self.notify()
        await self.may_finish.wait()
        if operation.state != operations_pb2.OPERATION_STATE_RUNNING:
            return  # cancelled
        if b"of another book" in await self.objects.get(f"recordings/{recording_id}/audio"):
            operation.state = operations_pb2.OPERATION_STATE_FAILED
            operation.error.CopyFrom(
                operations_pb2.OperationError(code="RECORDING_UNLIKE_TEXT", message="Not this book.")
            )
        else:
            result_ref = f"recordings/{recording_id}/aligned/1/"
            section = {"segments": [{"ordinal": 0, "startMs": 0, "endMs": 900, "exact": False, "words": []}]}
            outline = {"durationMs": 1000, "sections": [{"section": 0, "startMs": 0, "endMs": 900}]}
            for name, content in (("sections/0.json", section), ("alignment.json", outline)):
                await self.objects.put(f"{result_ref}{name}.gz", gzip.compress(json.dumps(content).encode()))
            await self.objects.put(f"{result_ref}transcript.vtt.gz", gzip.compress(b"WEBVTT\n"))
            operation.result_ref = result_ref
            operation.state = operations_pb2.OPERATION_STATE_SUCCEEDED
        await self.notify()

    async def announce(self, session_id: str, **event: Any) -> None:
        events = self.session_events[session_id]
        events.append(playback_pb2.WatchSessionResponse(event_id=len(events) + 1, **event))
        await self.notify()

    async def notify(self) -> None:
        async with self.changed:
            self.changed.notify_all()

    def operation_id_of(self, request: documents_pb2.ParseDocumentRequest) -> str:
        return f"op-{request.document_sha256[:16]}{request.password}-{self.parser_version}"

    async def _parse(
        self, operation: operations_pb2.Operation, request: documents_pb2.ParseDocumentRequest
    ) -> None:
        sha256, password = request.document_sha256, request.password
        operation.state = operations_pb2.OPERATION_STATE_RUNNING
        operation.progress.CopyFrom(operations_pb2.Progress(phase="sections", done=1, total=2))
        await self.notify()
        await self.may_finish.wait()
        body = await self.objects.get(f"documents/{sha256}")
        if b"unreadable" in body or self.fails_with:
            operation.state = operations_pb2.OPERATION_STATE_FAILED
            code = self.fails_with or "BOOK_DAMAGED"
            operation.error.CopyFrom(
                operations_pb2.OperationError(code=code, message="This book is damaged.")
            )
        elif b"locked" in body and not request.earlier_ref and password != "sesame":
            operation.state = operations_pb2.OPERATION_STATE_FAILED
            code = "PASSWORD_WRONG" if password else "PASSWORD_REQUIRED"
            operation.error.CopyFrom(operations_pb2.OperationError(code=code, message="Locked."))
        else:
            name = "any-5e5a3e" if b"locked" in body else "any"
            operation.result_ref = f"reading/{sha256}/{self.parser_version}-{name}/"
            await self._write(operation.result_ref, body)
            operation.state = operations_pb2.OPERATION_STATE_SUCCEEDED
        await self.notify()

    async def _write(self, reading_ref: str, body: bytes) -> None:
        reading = {
            "title": "A Title of Its Own",
            "authors": ["Somebody"],
            "cover": "cover.png",
            "sections": [{"title": "One", "characterCount": sum(map(len, self.paragraphs))}],
            "characterCount": len(body),
        }
        blocks = [{"id": f"0-{number}", "text": text} for number, text in enumerate(self.paragraphs)]
        section = {"html": "<p>Hello.</p>", "blocks": blocks}
        await self.objects.put(f"{reading_ref}resources/cover.png", PICTURE)
        await self.objects.put(
            f"{reading_ref}sections/0.json.gz", gzip.compress(json.dumps(section).encode())
        )
        await self.objects.put(f"{reading_ref}document.json.gz", gzip.compress(json.dumps(reading).encode()))


class _Documents(DocumentServiceServicer):
    def __init__(self, worker: StatefulWorker) -> None:
        self._worker = worker

    async def ParseDocument(
        self, request: documents_pb2.ParseDocumentRequest, context: Any
    ) -> documents_pb2.ParseDocumentResponse:
        if self._worker.is_crowded:
            raise crowded()
        self._worker.parse_requests.append(request)
        identifier = self._worker.operation_id_of(request)
        operation = self._worker.operations.get(identifier)
        ended = operation is not None and operation.state >= operations_pb2.OPERATION_STATE_FAILED
        if operation is None or (ended and request.retry):
            operation = operations_pb2.Operation(
                operation_id=identifier, state=operations_pb2.OPERATION_STATE_QUEUED
            )
            self._worker.operations[identifier] = operation
            self._worker.begin(operation, request)
        return documents_pb2.ParseDocumentResponse(operation=operation)


class _PageImages(PageImageServiceServicer):
    """Of documents with one page."""

    def __init__(self, worker: StatefulWorker) -> None:
        self._worker = worker

    async def DrawPage(
        self, request: page_images_pb2.DrawPageRequest, context: Any
    ) -> page_images_pb2.DrawPageResponse:
        self._worker.pages_drawn.append(request)
        if request.page:
            raise LecternError(Code.NOT_FOUND, "This document has no such page.", reason="PART_NOT_FOUND")
        tile = Tile(request.tile.column, request.tile.row) if request.HasField("tile") else None
        key = page_image_key(request.reading_ref, PageImage(request.page, request.width, tile))
        await self._worker.objects.put(key, PAGE)
        return page_images_pb2.DrawPageResponse(object_key=key)


class _Recordings(RecordingServiceServicer):
    def __init__(self, worker: StatefulWorker) -> None:
        self._worker = worker

    async def AlignRecording(
        self, request: recordings_pb2.AlignRecordingRequest, context: Any
    ) -> recordings_pb2.AlignRecordingResponse:
        identifier = f"align-{request.recording_id}"
        operation = self._worker.operations.get(identifier)
        ended = operation is not None and operation.state >= operations_pb2.OPERATION_STATE_FAILED
        if operation is None or (ended and request.retry):
            operation = operations_pb2.Operation(
                operation_id=identifier, state=operations_pb2.OPERATION_STATE_QUEUED
            )
            self._worker.operations[identifier] = operation
            self._worker.begin_alignment(operation, request.recording_id)
        return recordings_pb2.AlignRecordingResponse(operation=operation)


class _Operations(OperationServiceServicer):
    def __init__(self, worker: StatefulWorker) -> None:
        self._worker = worker

    async def GetOperation(
        self, request: operations_pb2.GetOperationRequest, context: Any
    ) -> operations_pb2.GetOperationResponse:
        return operations_pb2.GetOperationResponse(operation=self._find(request.operation_id))

    async def WatchOperation(
        self, request: operations_pb2.WatchOperationRequest, context: Any
    ) -> AsyncIterator[operations_pb2.WatchOperationResponse]:
        while True:
            operation = self._find(request.operation_id)
            told = operations_pb2.WatchOperationResponse(operation=operation)
            yield told
            if told.operation.state >= operations_pb2.OPERATION_STATE_SUCCEEDED:
                return
            async with self._worker.changed:
                if operation == told.operation:  # nothing has changed while it was told
                    await self._worker.changed.wait()

    async def CancelOperation(
        self, request: operations_pb2.CancelOperationRequest, context: Any
    ) -> operations_pb2.CancelOperationResponse:
        self._worker.cancelled.append(request.operation_id)
        if request.operation_id.startswith("align-"):
            self._find(request.operation_id).state = operations_pb2.OPERATION_STATE_CANCELLED
            await self._worker.notify()
        return operations_pb2.CancelOperationResponse(operation=self._find(request.operation_id))

    def _find(self, identifier: str) -> operations_pb2.Operation:
        operation = self._worker.operations.get(identifier)
        if operation is None:
            raise LecternError(Code.NOT_FOUND, "There is no such operation.")
        return operation


class _Playback(PlaybackServiceServicer):
    def __init__(self, worker: StatefulWorker) -> None:
        self._worker = worker

    async def CreateSession(
        self, request: playback_pb2.CreateSessionRequest, context: Any
    ) -> playback_pb2.CreateSessionResponse:
        if self._worker.refuses_token:
            raise LecternError(Code.UNAUTHENTICATED, "The bearer token is wrong.", reason="TOKEN_REFUSED")
        if self._worker.is_crowded:
            raise crowded()
        identity = f"{request.owner_id} {request.document_id}".encode()
        identifier = hashlib.sha256(identity).hexdigest()[:32]
        self._worker.sessions[identifier] = request
        self._worker.session_events.setdefault(identifier, [])
        return playback_pb2.CreateSessionResponse(
            session_id=identifier,
            plan_id="plan-1",
            start_ordinal=request.start.ordinal,
            segment_count=2,
            settings=request.settings,
        )

    async def GetPlan(
        self, request: playback_pb2.GetPlanRequest, context: Any
    ) -> playback_pb2.GetPlanResponse:
        section = playback_pb2.PlanSection(section=0, title="One", segment_count=2, character_count=12)
        if request.HasField("section"):
            section.segments.add(ordinal=0, block_id="0-0", end=6, sentence_count=1, pause_frames=20)
        return playback_pb2.GetPlanResponse(plan_id="plan-1", segment_count=2, sections=[section])

    async def WatchSession(
        self, request: playback_pb2.WatchSessionRequest, context: Any
    ) -> AsyncIterator[playback_pb2.WatchSessionResponse]:
        sent = request.after_event_id
        while True:
            for event in self._worker.session_events[request.session_id][sent:]:
                yield event
                sent = event.event_id
            async with self._worker.changed:
                await self._worker.changed.wait()

    async def UpdateCursor(
        self, request: playback_pb2.UpdateCursorRequest, context: Any
    ) -> playback_pb2.UpdateCursorResponse:
        self._worker.cursors.append(request)
        return playback_pb2.UpdateCursorResponse()

    async def CancelSession(
        self, request: playback_pb2.CancelSessionRequest, context: Any
    ) -> playback_pb2.CancelSessionResponse:
        self._worker.cancelled.append(request.session_id)
        return playback_pb2.CancelSessionResponse()


class _Speech(SpeechServiceServicer):
    def __init__(self, worker: StatefulWorker) -> None:
        self._worker = worker

    async def ListVoices(
        self, request: speech_pb2.ListVoicesRequest, context: Any
    ) -> speech_pb2.ListVoicesResponse:
        voice = speech_pb2.Voice(voice_id="en", name="English", language="en")
        return speech_pb2.ListVoicesResponse(
            voices=[voice], default_voice="en", model=request.model, models=["large", "small"]
        )

    async def SynthesizePreview(
        self, request: speech_pb2.SynthesizePreviewRequest, context: Any
    ) -> speech_pb2.SynthesizePreviewResponse:
        return speech_pb2.SynthesizePreviewResponse(audio=b"\xff\xf3" + request.text.encode())


def crowded() -> LecternError:
    message = "Too much is waiting to be done already. Try again in a while."
    return LecternError(Code.RESOURCE_EXHAUSTED, message, reason="QUEUE_LIMIT_REACHED")
