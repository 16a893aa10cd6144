"""What both processes ask of an object store. Keys are relative to S3_PREFIX.

Nothing may depend on conditional writes or on user metadata: the embedded store has neither.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from shared.errors import Code, LecternError


class ObjectNotFoundError(LecternError):
    """There is no object at the key."""

    def __init__(self, key: str) -> None:
        super().__init__(Code.NOT_FOUND, "The stored file is gone.", reason="OBJECT_NOT_FOUND")
        self.key = key


@dataclass(frozen=True)
class ObjectInfo:
    key: str
    size_bytes: int
    modified_at: float  # seconds since 1970


class ObjectStore(Protocol):
    async def put(self, key: str, body: bytes, *, content_type: str = "application/octet-stream") -> None: ...

    async def put_stream(self, key: str, chunks: AsyncIterator[bytes], *, content_type: str) -> int:
        """Stores without holding all of it in memory; returns the size in bytes. Nothing is left at the
        key when the iterator raises."""
        ...

    async def get(self, key: str) -> bytes:
        """Raises ObjectNotFoundError."""
        ...

    def stream(self, key: str, *, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """Bytes [start, end), by chunks. Raises ObjectNotFoundError at the first chunk."""
        ...

    async def info(self, key: str) -> ObjectInfo | None: ...

    async def copy(self, source: str, target: str) -> None: ...

    async def delete(self, key: str) -> None:
        """Deleting what isn't there is fine."""
        ...

    async def delete_prefix(self, prefix: str) -> int:
        """Deletes every object whose key starts so; returns how many."""
        ...

    def list(self, prefix: str) -> AsyncIterator[ObjectInfo]: ...
