"""What the library asks of its database."""

from collections.abc import Sequence
from typing import Protocol

from app_server.library.model import (
    Document,
    DocumentFailure,
    NewDocument,
    OwnMetadata,
    Position,
    ReadingSummary,
)


class DocumentStore(Protocol):
    async def add(self, document: NewDocument) -> Document:
        """The owner's document of these bytes: this one, or the one that was there already."""
        ...

    async def find_same(self, owner_id: str, sha256: str) -> Document | None:
        """The owner's document of these bytes."""
        ...

    async def find(self, document_id: str) -> Document | None:
        """Whoever owns it; callers check."""
        ...

    async def of_owner(self, owner_id: str) -> list[Document]:
        """Newest first."""
        ...

    async def processing_ids(self) -> list[str]: ...

    async def remove(self, document_id: str) -> None: ...

    async def is_owned(self, sha256: str) -> bool: ...

    async def owned_of(self, sha256s: Sequence[str]) -> set[str]:
        """Those among them that some document has."""
        ...

    async def readings_of(self, sha256: str) -> set[str]:
        """The reading references of every document of these bytes."""
        ...

    async def unowned_blobs(self, *, created_before_ms: int) -> list[str]: ...

    async def forget_blob(self, sha256: str) -> None:
        """Only for bytes that no document has any more."""
        ...

    async def set_operation(self, document_id: str, operation_id: str | None) -> None: ...

    async def restart(self, document_id: str, *, operation_id: str | None = None) -> None:
        """Back to processing, by a new operation or the one that has begun."""
        ...

    async def set_ready(self, document_id: str, *, reading_ref: str, summary: ReadingSummary) -> None: ...

    async def renew(
        self, document: Document, *, reading_ref: str, summary: ReadingSummary, position: Position | None
    ) -> bool:
        """Another reading of the document, and the reader's place in it. Nothing happens, and False is
        returned, where its reading or the place are no more those of the document given."""
        ...

    async def set_failed(self, document_id: str, failure: DocumentFailure) -> None: ...

    async def set_own_metadata(self, document_id: str, own: OwnMetadata) -> None: ...

    async def set_position(self, document_id: str, position: Position) -> None: ...
