"""A user's own recordings of their documents: kept, aligned by the worker, and gone when they are deleted."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

import structlog

from app_server.clock import Clock
from app_server.library.service import LibraryService
from app_server.library.uploads import cleaned_file_name, too_large
from app_server.recordings.model import (
    MOST_RECORDINGS,
    Progress,
    Recording,
    RecordingFailure,
    RecordingState,
    audio_key,
    media_type_of,
    recording_prefix,
)
from app_server.recordings.ports import RecordingStore
from app_server.worker.clients import WorkerClients
from lectern.compute.v1 import operations_pb2 as operations
from lectern.compute.v1 import recordings_pb2 as pb
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectStore

_CALL_SECONDS = 15
_ASK_AGAIN_SECONDS = 1.0
_SNIFF_BYTES = 16
_log = structlog.get_logger(__name__)


class RecordingService:
    def __init__(
        self,
        *,
        store: RecordingStore,
        library: LibraryService,
        objects: ObjectStore,
        worker: WorkerClients,
        clock: Clock,
        new_id: Callable[[], str],
    ) -> None:
        self._store = store
        self._library = library
        self._objects = objects
        self._worker = worker
        self._clock = clock
        self._new_id = new_id

    async def check(self, owner_id: str, document_id: str) -> None:
        """Raises what add would before the file arrives: DOCUMENT_NOT_READY or RECORDINGS_TOO_MANY."""
        await self._library.get_ready(owner_id, document_id)
        if len(await self._store.of_document(document_id)) >= MOST_RECORDINGS:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                f"A document can have {MOST_RECORDINGS} recordings. Delete one of them first.",
                reason="RECORDINGS_TOO_MANY",
            )

    async def add(
        self, owner_id: str, document_id: str, chunks: AsyncIterator[bytes], *, file_name: str, max_bytes: int
    ) -> Recording:
        """Stores the file and has it aligned. Raises FILE_EMPTY, FILE_TOO_LARGE, RECORDING_UNSUPPORTED or
        RECORDINGS_TOO_MANY."""
        await self.check(owner_id, document_id)
        start, media_type = await _recognized(chunks)
        recording_id = self._new_id()
        key = audio_key(recording_id)
        size = await self._objects.put_stream(
            key, _counted(start, chunks, max_bytes), content_type=media_type
        )
        recording = Recording(
            id=recording_id,
            document_id=document_id,
            file_name=cleaned_file_name(file_name),
            media_type=media_type,
            size_bytes=size,
            created_at_ms=self._clock(),
        )
        try:
            await self._store.add(recording)
        except BaseException:  # the document was deleted meanwhile, or nobody waits any more
            await asyncio.shield(self._objects.delete(key))
            raise
        return await self._aligned(owner_id, recording)

    async def list(self, owner_id: str, document_id: str) -> list[tuple[Recording, Progress | None]]:
        await self._library.get(owner_id, document_id)
        return [await self._looked_after(owner_id, one) for one in await self._store.of_document(document_id)]

    async def get(self, owner_id: str, document_id: str, recording_id: str) -> Recording:
        await self._library.get(owner_id, document_id)
        recording = await self._store.find(recording_id)
        if recording is None or recording.document_id != document_id:
            raise LecternError(
                Code.NOT_FOUND, "There is no such recording of this document.", reason="RECORDING_NOT_FOUND"
            )
        return recording

    async def get_ready(self, owner_id: str, document_id: str, recording_id: str) -> tuple[Recording, str]:
        """With where its alignment lies. Raises RECORDING_NOT_READY."""
        recording = await self.get(owner_id, document_id, recording_id)
        recording, _ = await self._looked_after(owner_id, recording)
        if recording.result_ref is None:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                "This recording isn't aligned with the text yet.",
                reason="RECORDING_NOT_READY",
            )
        return recording, recording.result_ref

    async def follow(
        self, owner_id: str, document_id: str, recording_id: str
    ) -> AsyncIterator[tuple[Recording, Progress | None]]:
        """Its state now and after every change, until it is ready or has failed."""
        recording = await self.get(owner_id, document_id, recording_id)
        while True:
            recording, progress = await self._looked_after(owner_id, recording)
            yield recording, progress
            if recording.operation_id is not None:
                async for told in self._watched(recording, recording.operation_id):
                    recording, _ = told
                    yield told
            if recording.state is not RecordingState.ALIGNING:
                return
            await asyncio.sleep(_ASK_AGAIN_SECONDS)

    async def _watched(
        self, recording: Recording, operation_id: str
    ) -> AsyncIterator[tuple[Recording, Progress | None]]:
        """While the worker tells; it may stop to."""
        if recording.state is not RecordingState.ALIGNING:
            return
        request = operations.WatchOperationRequest(operation_id=operation_id)
        stream = self._worker.operations.WatchOperation(request)
        try:
            async for answer in stream:
                yield await self._note(recording, answer.operation)
        except LecternError as error:
            _log.info("a recording's progress isn't known", recording=recording.id, reason=error.reason)
        finally:
            stream.cancel()

    async def retry(self, owner_id: str, document_id: str, recording_id: str) -> Recording:
        recording = await self.get(owner_id, document_id, recording_id)
        recording, _ = await self._looked_after(owner_id, recording)
        if recording.state is not RecordingState.FAILED:
            return recording
        return await self._aligned(owner_id, recording, again=True)

    async def cancel(self, owner_id: str, document_id: str, recording_id: str) -> Recording:
        """Stops the alignment; the file stays."""
        recording = await self.get(owner_id, document_id, recording_id)
        if recording.state is RecordingState.ALIGNING and recording.operation_id is not None:
            request = operations.CancelOperationRequest(operation_id=recording.operation_id)
            answer = await self._worker.operations.CancelOperation(request, timeout=_CALL_SECONDS)
            recording, _ = await self._note(recording, answer.operation)
        return recording

    async def delete(self, owner_id: str, document_id: str, recording_id: str) -> None:
        recording = await self.get(owner_id, document_id, recording_id)
        with suppress(LecternError):  # what goes on for nobody is harmless
            await self.cancel(owner_id, document_id, recording_id)
        await self._store.remove(recording.id)
        try:
            await self._objects.delete_prefix(recording_prefix(recording.id))
        except LecternError as error:
            _log.warning("a deleted recording stays behind", recording=recording.id, reason=error.reason)

    async def _looked_after(self, owner_id: str, recording: Recording) -> tuple[Recording, Progress | None]:
        """As the worker knows it; begun anew where the worker knows nothing."""
        if recording.state is not RecordingState.ALIGNING:
            return recording, None
        try:
            if recording.operation_id is None:
                return await self._aligned(owner_id, recording), None
            request = operations.GetOperationRequest(operation_id=recording.operation_id)
            answer = await self._worker.operations.GetOperation(request, timeout=_CALL_SECONDS)
        except LecternError as error:
            if error.code is Code.NOT_FOUND:
                return await self._aligned(owner_id, recording), None
            return recording, None  # the worker is down: it will be asked again
        return await self._note(recording, answer.operation)

    async def _aligned(self, owner_id: str, recording: Recording, *, again: bool = False) -> Recording:
        """Asks the worker for it. A worker that is down is asked again when somebody looks."""
        _, reading_ref = await self._library.get_ready(owner_id, recording.document_id)
        request = pb.AlignRecordingRequest(recording_id=recording.id, reading_ref=reading_ref, retry=again)
        operation_id = None
        try:
            answer = await self._worker.recordings.AlignRecording(request, timeout=_CALL_SECONDS)
            operation_id = answer.operation.operation_id
        except LecternError as error:
            _log.info("a recording waits for a worker", recording=recording.id, reason=error.reason)
        await self._store.set_aligning(recording.id, operation_id)
        present = await self._store.find(recording.id)
        return present or recording

    async def _note(
        self, recording: Recording, operation: operations.Operation
    ) -> tuple[Recording, Progress | None]:
        match operation.state:
            case operations.OPERATION_STATE_SUCCEEDED:
                await self._store.set_ready(recording.id, operation.result_ref)
            case operations.OPERATION_STATE_FAILED:
                error = operation.error
                failure = RecordingFailure(error.code, error.message, error.retryable)
                await self._store.set_failed(recording.id, failure)
            case operations.OPERATION_STATE_CANCELLED:
                failure = RecordingFailure(
                    "ALIGNMENT_CANCELLED", "The alignment was stopped.", retryable=True
                )
                await self._store.set_failed(recording.id, failure)
            case _:
                progress = operation.progress
                return recording, Progress(progress.phase, progress.done, progress.total)
        return await self._store.find(recording.id) or recording, None


async def _recognized(chunks: AsyncIterator[bytes]) -> tuple[bytes, str]:
    start = b""
    async for chunk in chunks:
        start += chunk
        if len(start) >= _SNIFF_BYTES:
            break
    if not start:
        raise LecternError(Code.INVALID_ARGUMENT, "This file is empty.", reason="FILE_EMPTY")
    media_type = media_type_of(start)
    if media_type is None:
        raise LecternError(
            Code.INVALID_ARGUMENT,
            "This is no recording that can be read. Use MP3, M4A, M4B, Ogg, Opus, FLAC or WAV.",
            reason="RECORDING_UNSUPPORTED",
        )
    return start, media_type


async def _counted(start: bytes, rest: AsyncIterator[bytes], max_bytes: int) -> AsyncIterator[bytes]:
    size = len(start)
    yield start
    async for chunk in rest:
        size += len(chunk)
        if size > max_bytes:
            raise too_large(max_bytes)
        yield chunk
