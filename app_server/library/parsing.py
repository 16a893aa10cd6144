"""Sees every processing document through, whether a browser is open or not: has the worker parse it,
follows the operation, and writes down how it ended."""

import asyncio
from typing import Final

import structlog

from app_server.background import BackgroundTasks
from app_server.library.changes import DocumentChanges
from app_server.library.limits import OpeningLimits
from app_server.library.model import Document, DocumentFailure, DocumentState, Progress
from app_server.library.ports import DocumentStore
from app_server.library.proto_mapping import failure_of, parse_request
from app_server.library.readings import ReadingFiles
from app_server.worker.clients import WorkerClients, errors_for_browsers
from lectern.compute.v1 import operations_pb2 as operations
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectNotFoundError

_SWEEP_SECONDS: Final = 30
_FIRST_PAUSE_SECONDS: Final = 0.25
_LONGEST_PAUSE_SECONDS: Final = 5.0
_LOST_RUNS: Final = 3
_CALL_SECONDS: Final = 15
# The document itself is at fault, or this program is: asking again changes nothing.
_FINAL_CODES: Final = {Code.INVALID_ARGUMENT, Code.FAILED_PRECONDITION, Code.OUT_OF_RANGE, Code.UNIMPLEMENTED}
# What a limit keeps out is told at once; its owner tries again.
_FINAL_REASONS: Final = {"QUEUE_LIMIT_REACHED"}
_log = structlog.get_logger(__name__)


class RunLostError(LecternError):
    """The operation, or what it made, is gone; a new run is needed."""

    def __init__(self) -> None:
        super().__init__(Code.ABORTED, "Opening this file was interrupted.", reason="PARSING_INTERRUPTED")


class ParsingWatcher:
    def __init__(
        self,
        *,
        store: DocumentStore,
        worker: WorkerClients,
        readings: ReadingFiles,
        limits: OpeningLimits,
        changes: DocumentChanges,
        background: BackgroundTasks,
    ) -> None:
        self._store = store
        self._worker = worker
        self._readings = readings
        self._limits = limits
        self._changes = changes
        self._background = background
        self._following: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()

    async def sweep(self) -> None:
        """Takes up documents that nobody follows: those of an earlier run or of another app server."""
        while True:
            try:
                for document_id in await self._store.processing_ids():
                    self.follow(document_id)
            except LecternError as error:
                _log.warning("processing documents can't be listed", reason=error.reason)
            await asyncio.sleep(_SWEEP_SECONDS)

    def follow(self, document_id: str) -> None:
        if document_id in self._following:
            self._again.add(document_id)  # it may be about to end, unaware of what has changed
            return
        task = self._background.start(self._see_through(document_id))
        self._following[document_id] = task
        task.add_done_callback(lambda _: self._ended(document_id))

    async def begin_unlocked(self, document: Document, password: str) -> None:
        """Has a failed document parsed with its password, which only this one call carries."""
        with errors_for_browsers():
            answer = await self._worker.documents.ParseDocument(
                parse_request(document, password), timeout=_CALL_SECONDS
            )
        await self._store.restart(document.id, operation_id=answer.operation.operation_id)
        self.follow(document.id)

    async def abandon(self, document: Document, *, is_last: bool) -> None:
        """The document is deleted. is_last: nobody else wants this file parsed either."""
        task = self._following.pop(document.id, None)
        if task is not None:
            self._again.discard(document.id)
            task.cancel()
        await self._limits.ended(document.id)
        if is_last and document.operation_id and document.state is DocumentState.PROCESSING:
            request = operations.CancelOperationRequest(operation_id=document.operation_id)
            try:
                await self._worker.operations.CancelOperation(request, timeout=_CALL_SECONDS)
            except LecternError as error:
                _log.info("an unwanted parsing goes on", reason=error.reason)

    def _ended(self, document_id: str) -> None:
        task = self._following.pop(document_id, None)
        if document_id in self._again:
            self._again.discard(document_id)
            if task is not None and not task.cancelled():
                self.follow(document_id)

    async def _see_through(self, document_id: str) -> None:
        pause, lost_runs = _FIRST_PAUSE_SECONDS, 0
        while True:
            try:
                if await self._attempt(document_id):
                    return None
            except RunLostError:
                lost_runs += 1
                if lost_runs >= _LOST_RUNS:
                    return await self._fail(document_id, _interrupted())
                await self._store.set_operation(document_id, None)
            except LecternError as error:
                if error.code in _FINAL_CODES or error.reason in _FINAL_REASONS:
                    failure = DocumentFailure(error.reason, error.message, error.retryable)
                    return await self._fail(document_id, failure)
                _log.info("parsing is tried again", document=document_id, reason=error.reason)
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)

    async def _attempt(self, document_id: str) -> bool:
        """Whether the document needs nothing more."""
        document = await self._store.find(document_id)
        if document is None or document.state is not DocumentState.PROCESSING:
            return True
        operation_id = document.operation_id or await self._submit(document)
        return await self._watch(document, operation_id)

    async def _submit(self, document: Document) -> str:
        answer = await self._worker.documents.ParseDocument(parse_request(document), timeout=_CALL_SECONDS)
        await self._store.set_operation(document.id, answer.operation.operation_id)
        return answer.operation.operation_id

    async def _watch(self, document: Document, operation_id: str) -> bool:
        request = operations.WatchOperationRequest(operation_id=operation_id)
        stream = self._worker.operations.WatchOperation(request)
        try:
            async for answer in stream:
                if await self._note(document, answer.operation):
                    return True
        except LecternError as error:
            if error.code is Code.NOT_FOUND:
                raise RunLostError from error
            raise
        finally:
            stream.cancel()
        raise LecternError(Code.UNAVAILABLE, "The worker stopped telling.", reason="STREAM_ENDED")

    async def _note(self, document: Document, operation: operations.Operation) -> bool:
        match operation.state:
            case operations.OPERATION_STATE_SUCCEEDED:
                await self._succeed(document, operation.result_ref)
            case operations.OPERATION_STATE_FAILED:
                await self._fail(document.id, failure_of(operation.error))
            case operations.OPERATION_STATE_CANCELLED:
                raise RunLostError
            case _:
                progress = operation.progress
                self._changes.report(document.id, Progress(progress.phase, progress.done, progress.total))
                await self._limits.progressed(document)
                return False
        return True

    async def _succeed(self, document: Document, result_ref: str) -> None:
        try:
            summary = await self._readings.summary(result_ref)
        except ObjectNotFoundError as error:
            raise RunLostError from error
        await self._store.set_ready(document.id, reading_ref=result_ref, summary=summary)
        await self._limits.ended(document.id)
        self._changes.settle(document.id)

    async def _fail(self, document_id: str, failure: DocumentFailure) -> None:
        await self._store.set_failed(document_id, failure)
        await self._limits.ended(document_id)
        self._changes.settle(document_id)


def _interrupted() -> DocumentFailure:
    lost = RunLostError()
    return DocumentFailure(lost.reason, lost.message, retryable=True)
