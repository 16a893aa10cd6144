"""An object store in a dictionary: what tests and one-process tools use in the place of S3."""

import time
from collections.abc import AsyncIterator

from shared.objects.ports import ObjectInfo, ObjectNotFoundError

_CHUNK_BYTES = 64 * 1024


class MemoryStore:
    def __init__(self) -> None:
        self._bodies: dict[str, bytes] = {}
        self._modified_at: dict[str, float] = {}

    async def put(self, key: str, body: bytes, *, content_type: str = "application/octet-stream") -> None:  # noqa: ARG002 - the port's signature
        self._set(key, bytes(body))

    async def put_stream(self, key: str, chunks: AsyncIterator[bytes], *, content_type: str) -> int:  # noqa: ARG002 - the port's signature
        body = b"".join([chunk async for chunk in chunks])
        self._set(key, body)
        return len(body)

    async def get(self, key: str) -> bytes:
        return self._body(key)

    async def stream(self, key: str, *, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        body = self._body(key)
        stop = len(body) if end is None else min(end, len(body))
        for offset in range(start, stop, _CHUNK_BYTES):
            yield body[offset : min(offset + _CHUNK_BYTES, stop)]

    async def info(self, key: str) -> ObjectInfo | None:
        body = self._bodies.get(key)
        return None if body is None else ObjectInfo(key, len(body), self._modified_at[key])

    async def copy(self, source: str, target: str) -> None:
        self._set(target, self._body(source))

    async def delete(self, key: str) -> None:
        self._bodies.pop(key, None)

    async def delete_prefix(self, prefix: str) -> int:
        doomed = [key for key in self._bodies if key.startswith(prefix)]
        for key in doomed:
            del self._bodies[key]
        return len(doomed)

    async def list(self, prefix: str) -> AsyncIterator[ObjectInfo]:
        for key in sorted(self._bodies):
            if key.startswith(prefix):
                yield ObjectInfo(key, len(self._bodies[key]), self._modified_at[key])

    def _set(self, key: str, body: bytes) -> None:
        self._bodies[key] = body
        self._modified_at[key] = time.time()

    def _body(self, key: str) -> bytes:
        try:
            return self._bodies[key]
        except KeyError:
            raise ObjectNotFoundError(key) from None
