"""An object store in a dictionary: what tests and one-process tools use in the place of S3."""

from collections.abc import AsyncIterator

from shared.objects.ports import ObjectInfo, ObjectNotFoundError

_CHUNK_BYTES = 64 * 1024


class MemoryStore:
    def __init__(self) -> None:
        self._bodies: dict[str, bytes] = {}

    async def put(self, key: str, body: bytes, *, content_type: str = "application/octet-stream") -> None:  # noqa: ARG002 - the port's signature
        self._bodies[key] = bytes(body)

    async def put_stream(self, key: str, chunks: AsyncIterator[bytes], *, content_type: str) -> int:  # noqa: ARG002 - the port's signature
        body = b"".join([chunk async for chunk in chunks])
        self._bodies[key] = body
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
        return None if body is None else ObjectInfo(key=key, size_bytes=len(body))

    async def copy(self, source: str, target: str) -> None:
        self._bodies[target] = self._body(source)

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
                yield ObjectInfo(key=key, size_bytes=len(self._bodies[key]))

    def _body(self, key: str) -> bytes:
        try:
            return self._bodies[key]
        except KeyError:
            raise ObjectNotFoundError(key) from None
