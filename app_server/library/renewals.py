"""Reads documents again that an older parser has read, when they are opened. Until that has come to an end,
and if it comes to none, they stay as they were; then the new reading and the reader's place in it take the
old one's place at once."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

import structlog

from app_server.background import BackgroundTasks
from app_server.library.changes import DocumentChanges
from app_server.library.kept_places import KeptPlaces
from app_server.library.model import Document, DocumentState, Progress
from app_server.library.ports import DocumentStore
from app_server.library.proto_mapping import parse_request
from app_server.library.readings import ReadingFiles
from app_server.worker.clients import WorkerClients
from lectern.compute.v1 import operations_pb2 as operations
from shared.errors import Code, LecternError
from shared.readings import can_be_renewed

_CALL_SECONDS: Final = 15
# Somebody may turn pages meanwhile; a worker that is stopped ends what it tells.
_ATTEMPTS: Final = 3
_log = structlog.get_logger(__name__)


class Renewals:
    def __init__(
        self,
        *,
        store: DocumentStore,
        worker: WorkerClients,
        readings: ReadingFiles,
        places: KeptPlaces,
        changes: DocumentChanges,
        background: BackgroundTasks,
    ) -> None:
        self._store = store
        self._worker = worker
        self._readings = readings
        self._places = places
        self._changes = changes
        self._background = background
        self._running: dict[str, asyncio.Task[None]] = {}

    def begin(self, document: Document) -> None:
        """Unless it is being read again already, or has nothing new to gain."""
        if is_outdated(document) and document.id not in self._running:
            self._changes.report(document.id, Progress("queued", 0, 0))
            task = self._background.start(self._see_through(document))
            self._running[document.id] = task
            task.add_done_callback(lambda _: self._ended(document.id))

    def put_off(self, document_id: str) -> None:
        """It stays as it was for now. What the worker makes is there when it is opened next."""
        task = self._running.get(document_id)
        if task is not None:
            task.cancel()

    def is_running(self, document_id: str) -> bool:
        return document_id in self._running

    def _ended(self, document_id: str) -> None:
        del self._running[document_id]
        self._changes.settle(document_id)

    async def _see_through(self, document: Document) -> None:
        try:
            reading_ref = await self._read_again(document)
            if reading_ref != document.reading_ref:
                await self._put_in_place(document.id, reading_ref)
        except LecternError as error:
            _log.warning("a document stays as it was read", document=document.id, reason=error.reason)

    async def _read_again(self, document: Document) -> str:
        operation = await self._operation(document, retry=False)
        if operation.state == operations.OPERATION_STATE_FAILED and operation.error.retryable:
            operation = await self._operation(document, retry=True)
        if operation.state != operations.OPERATION_STATE_SUCCEEDED:
            raise LecternError(
                Code.ABORTED, operation.error.message or "It was not read.", reason=operation.error.code
            )
        return operation.result_ref

    async def _operation(self, document: Document, *, retry: bool) -> operations.Operation:
        """As it ended."""
        request = parse_request(document, retry=retry)
        answer = await self._worker.documents.ParseDocument(request, timeout=_CALL_SECONDS)
        for _ in range(_ATTEMPTS):
            async with aclosing(self._news(answer.operation.operation_id)) as news:
                async for operation in news:
                    if operation.state >= operations.OPERATION_STATE_SUCCEEDED:
                        return operation
                    told = operation.progress
                    self._changes.report(document.id, Progress(told.phase or "queued", told.done, told.total))
        raise LecternError(Code.UNAVAILABLE, "The worker stopped telling.", reason="STREAM_ENDED")

    async def _news(self, operation_id: str) -> AsyncGenerator[operations.Operation, None]:
        stream = self._worker.operations.WatchOperation(
            operations.WatchOperationRequest(operation_id=operation_id)
        )
        try:
            async for news in stream:
                yield news.operation
        finally:
            stream.cancel()

    async def _put_in_place(self, document_id: str, reading_ref: str) -> None:
        summary = await self._readings.summary(reading_ref)
        for _ in range(_ATTEMPTS):
            document = await self._store.find(document_id)
            if document is None or not is_outdated(document):
                return
            position = await self._places.moved(document, reading_ref)
            if await self._store.renew(document, reading_ref=reading_ref, summary=summary, position=position):
                _log.info("a document was read again", document=document_id, reading_ref=reading_ref)
                return


def is_outdated(document: Document) -> bool:
    return document.state is DocumentState.READY and can_be_renewed(document.reading_ref or "")
