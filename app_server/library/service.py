"""A user's library. What belongs to somebody else doesn't exist."""

from collections.abc import Callable
from typing import Final

import structlog

from app_server.clock import Clock
from app_server.compute_limits.caller import Caller
from app_server.database.engine import Database
from app_server.library.changes import DocumentChanges
from app_server.library.formats import require_allowed
from app_server.library.limits import OpeningLimits
from app_server.library.model import (
    Added,
    Document,
    DocumentState,
    NewDocument,
    OwnMetadata,
    document_key,
    reading_prefix,
)
from app_server.library.parsing import ParsingWatcher
from app_server.library.password_tries import PasswordTries
from app_server.library.ports import DocumentStore
from app_server.library.readings import document_file
from app_server.library.uploads import ReceivedFile, title_of_file
from app_server.site_features.ports import FeatureReader
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectStore
from shared.readings import made_by

# The worker's reasons.
WAITING_FOR_PASSWORD: Final = frozenset({"PASSWORD_REQUIRED", "PASSWORD_WRONG"})
_log = structlog.get_logger(__name__)


class LibraryService:
    def __init__(
        self,
        *,
        store: DocumentStore,
        objects: ObjectStore,
        locks: Database,
        watcher: ParsingWatcher,
        limits: OpeningLimits,
        tries: PasswordTries,
        features: FeatureReader,
        changes: DocumentChanges,
        clock: Clock,
        new_id: Callable[[], str],
    ) -> None:
        self._store = store
        self._objects = objects
        self._locks = locks
        self._watcher = watcher
        self._limits = limits
        self._tries = tries
        self._features = features
        self._changes = changes
        self._clock = clock
        self._new_id = new_id

    async def add(
        self, caller: Caller, file: ReceivedFile, *, title: str | None = None, source_url: str | None = None
    ) -> Added:
        """The same bytes again are the same document, whatever they are called now; one that had failed is
        tried again. title: of its owner's choice, before the one that the file gives itself. Raises
        RESOURCE_EXHAUSTED when a limit keeps a new one out, and for a format that is turned off."""
        require_allowed(file.format, with_docx=(await self._features.current()).enable_docx_conversion)
        new = self._new_document(caller.user_id, file, title=title, source_url=source_url)
        async with self._locks.hold(blob_lock(file.sha256)):
            document = await self._store.find_same(caller.user_id, file.sha256)
            if document is None:
                await self._limits.admit(
                    caller, document_id=new.id, document_format=new.format, size_bytes=new.size_bytes
                )
            document = await self._kept(document or new, file)
        is_duplicate = document.id != new.id
        if document.state is DocumentState.FAILED:
            return Added(await self.retry(caller, document.id), is_duplicate)
        if document.state is DocumentState.PROCESSING:
            self._watcher.follow(document.id)
        return Added(document, is_duplicate)

    async def _kept(self, document: Document | NewDocument, file: ReceivedFile) -> Document:
        try:
            if await self._objects.info(document_key(file.sha256)) is None:
                await self._objects.copy(file.temporary_key, document_key(file.sha256))
            return document if isinstance(document, Document) else await self._store.add(document)
        except BaseException:
            await self._limits.ended(document.id)
            raise

    async def list(self, owner_id: str) -> list[Document]:
        return await self._store.of_owner(owner_id)

    async def get(self, owner_id: str, document_id: str) -> Document:
        """Raises NOT_FOUND."""
        document = await self._store.find(document_id)
        if document is None or document.owner_id != owner_id:
            raise LecternError(
                Code.NOT_FOUND, "There is no such document in your library.", reason="DOCUMENT_NOT_FOUND"
            )
        return document

    async def get_ready(self, owner_id: str, document_id: str, *, parser: str = "") -> tuple[Document, str]:
        """The document and its reading reference; with the version of a parser, the one that it made. Raises
        FAILED_PRECONDITION while it isn't ready, and where that parser's reading is gone."""
        document = await self.get(owner_id, document_id)
        if document.state is not DocumentState.READY or document.reading_ref is None:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                "This document isn't ready to be read yet.",
                reason="DOCUMENT_NOT_READY",
            )
        return document, await self._made_by(parser, document.reading_ref)

    async def _made_by(self, parser: str, reading_ref: str) -> str:
        wanted = made_by(parser, reading_ref)
        if wanted != reading_ref and await self._objects.info(document_file(wanted)) is None:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                "This document has been read anew since you opened it. Reload the page to go on.",
                reason="READING_REPLACED",
            )
        return wanted

    async def delete(self, owner_id: str, document_id: str) -> None:
        document = await self.get(owner_id, document_id)
        await self._store.remove(document.id)
        self._changes.settle(document.id)
        async with self._locks.hold(blob_lock(document.sha256)):
            is_last = not await self._store.is_owned(document.sha256)
            await self._watcher.abandon(document, is_last=is_last)
            if is_last:
                await self._reap(document.sha256)

    async def retry(self, caller: Caller, document_id: str) -> Document:
        """Raises RESOURCE_EXHAUSTED when a limit keeps it from being opened once more."""
        document = await self.get(caller.user_id, document_id)
        if document.state is DocumentState.FAILED:
            await self._limits.admit(
                caller,
                document_id=document.id,
                document_format=document.format,
                size_bytes=document.size_bytes,
            )
            await self._store.restart(document.id)
            self._changes.settle(document.id)
        self._watcher.follow(document.id)
        return await self.get(caller.user_id, document_id)

    async def unlock(self, caller: Caller, document_id: str, password: str) -> Document:
        """Raises FAILED_PRECONDITION for a document that waits for no password, and RESOURCE_EXHAUSTED as
        retry does, and after too many tries."""
        document = await self.get(caller.user_id, document_id)
        if document.failure is None or document.failure.code not in WAITING_FOR_PASSWORD:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                "This document isn't waiting for a password.",
                reason="DOCUMENT_NOT_LOCKED",
            )
        await self._tries.admit(caller.user_id, document.id)
        await self._limits.admit(
            caller,
            document_id=document.id,
            document_format=document.format,
            size_bytes=document.size_bytes,
        )
        try:
            await self._watcher.begin_unlocked(document, password)
        except BaseException:
            await self._limits.ended(document.id)
            raise
        self._changes.settle(document.id)
        return await self.get(caller.user_id, document_id)

    async def set_own_metadata(self, owner_id: str, document_id: str, own: OwnMetadata) -> Document:
        document = await self.get(owner_id, document_id)
        await self._store.set_own_metadata(document.id, own)
        self._changes.tell(document.id)
        return await self.get(owner_id, document_id)

    async def _reap(self, sha256: str) -> None:
        """The row is gone already: what stays behind now is only space."""
        try:
            await self._objects.delete(document_key(sha256))
            await self._objects.delete_prefix(reading_prefix(sha256))
        except LecternError as error:
            _log.warning("files of a deleted document stay behind", sha256=sha256, reason=error.reason)
            return
        await self._store.forget_blob(sha256)

    def _new_document(
        self, owner_id: str, file: ReceivedFile, *, title: str | None, source_url: str | None
    ) -> NewDocument:
        return NewDocument(
            id=self._new_id(),
            owner_id=owner_id,
            sha256=file.sha256,
            size_bytes=file.size_bytes,
            file_name=file.file_name,
            format=file.format,
            title=title_of_file(file.file_name),
            created_at_ms=self._clock(),
            own_title=title,
            source_url=source_url,
        )


def blob_lock(sha256: str) -> str:
    """Held while bytes change hands: who adds a document to them, and who removes what nobody owns."""
    return f"blob:{sha256}"
