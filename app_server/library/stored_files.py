"""A stored file, or a part of it, as an HTTP answer (RFC 9110, 14): through the app, as it streams."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

from aiohttp import web

from shared.errors import LecternError
from shared.objects.ports import ObjectNotFoundError, ObjectStore


@dataclass(frozen=True)
class StoredFile:
    """tag tells its versions apart; gone is raised when there is nothing at the key."""

    key: str
    tag: str
    size_bytes: int
    gone: LecternError
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


RANGE_ANSWERS = {
    206: "The part that the Range header asks for",
    304: "The file that the caller has",
    307: "The file is at this address of the object store",
    416: "There is no such part",
}


async def send_stored_file(
    request: web.Request, objects: ObjectStore, file: StoredFile
) -> web.StreamResponse:
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
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
