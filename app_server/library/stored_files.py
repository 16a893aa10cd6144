"""A stored file, or a part of it (RFC 9110, 14), as an HTTP answer: through the app, as it streams, or by an
address of the store."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote

from aiohttp import web

from app_server.http.json_bodies import NO_STORE
from shared.errors import LecternError
from shared.objects.ports import ObjectNotFoundError, ObjectStore
from shared.objects.presigner import Presigner

# Should a browser show a file after all, it may do nothing.
_FILE_POLICY: Final = "default-src 'none'; sandbox"


@dataclass(frozen=True)
class StoredFile:
    """tag tells its versions apart; gone is raised when there is nothing at the key."""

    key: str
    tag: str
    size_bytes: int
    content_type: str
    content_disposition: str
    gone: LecternError
    # Of an address of the store.
    address_seconds: int = 300
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


RANGE_ANSWERS = {
    206: "The part that the Range header asks for",
    304: "The file that the caller has",
    307: "The file is at this address of the object store",
    416: "There is no such part",
}


class StoredFileSender:
    """presigner is None where downloads go through the app."""

    def __init__(self, *, objects: ObjectStore, presigner: Presigner | None) -> None:
        self._objects = objects
        self._presigner = presigner

    async def send(self, request: web.Request, file: StoredFile) -> web.StreamResponse:
        if self._presigner is None:
            return await _send_through(request, self._objects, file)
        address = await self._presigner.download_url(
            file.key,
            seconds=file.address_seconds,
            content_type=file.content_type,
            content_disposition=file.content_disposition,
        )
        return web.Response(status=307, headers={"Location": address, "Cache-Control": NO_STORE})


def attachment(file_name: str) -> str:
    """RFC 6266; the plain name for whoever doesn't know the other one."""
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '"\\%' else "_" for c in file_name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(file_name, safe='')}"


async def _send_through(request: web.Request, objects: ObjectStore, file: StoredFile) -> web.StreamResponse:
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
        "Content-Disposition": file.content_disposition,
        "Content-Security-Policy": _FILE_POLICY,
        "Content-Type": file.content_type,
        "ETag": f'"{file.tag}"',
        "Vary": "Cookie",
        "X-Content-Type-Options": "nosniff",
        **file.headers,
    }
    if any(tag.value in {file.tag, "*"} for tag in request.if_none_match or ()):
        return web.Response(status=304, headers=headers)
    span = _span(request, file)
    if span is None:
        headers["Content-Range"] = f"bytes */{file.size_bytes}"
        return web.Response(status=416, headers=headers)
    headers["Content-Length"] = str(span.stop - span.start)
    is_part = len(span) < file.size_bytes
    if is_part:
        headers["Content-Range"] = f"bytes {span.start}-{span.stop - 1}/{file.size_bytes}"
    response = web.StreamResponse(status=206 if is_part else 200, headers=headers)
    if request.method == "HEAD":
        await response.prepare(request)
        return response
    return await _sent(request, response, objects.stream(file.key, start=span.start, end=span.stop), file)


async def _sent(
    request: web.Request, response: web.StreamResponse, chunks: AsyncIterator[bytes], file: StoredFile
) -> web.StreamResponse:
    try:
        first = await anext(chunks)
    except (ObjectNotFoundError, StopAsyncIteration) as error:
        raise file.gone from error
    await response.prepare(request)
    await response.write(first)
    async for chunk in chunks:
        await response.write(chunk)
    await response.write_eof()
    return response


def _span(request: web.Request, file: StoredFile) -> range | None:
    """What of the file is wanted; None when it lies behind the end. A range that isn't understood, or is
    meant for another version of the file, is as good as none."""
    whole = range(file.size_bytes)
    condition = request.headers.get("If-Range")
    if condition is not None and condition.strip() != f'"{file.tag}"':
        return whole
    try:
        wanted = request.http_range
    except ValueError:
        return whole
    if wanted.start is None:
        return whole
    span = whole[wanted.start : wanted.stop]
    return span or None
