"""The uploaded file itself, back to its owner: through the app, or from the store. Ranges work in both."""

from typing import Final
from urllib.parse import quote

from aiohttp import web

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.http.endpoints import Content, Endpoint, add_endpoints
from app_server.http.json_bodies import NO_STORE
from app_server.library.formats import DocumentFormat
from app_server.library.model import Document, document_key
from app_server.library.service import LibraryService
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectNotFoundError, ObjectStore
from shared.objects.presigner import Presigner

_ADDRESS_SECONDS: Final = 300
_CONTENT_TYPES: Final = {
    DocumentFormat.EPUB: "application/epub+zip",
    DocumentFormat.HTML: "text/html",
    DocumentFormat.MARKDOWN: "text/markdown",
    DocumentFormat.TEXT: "text/plain",
    DocumentFormat.WEB_PAGE: "text/html",
}
_OTHER_CONTENT_TYPE: Final = "application/octet-stream"
# Should a browser show it after all, it may do nothing.
_FILE_POLICY: Final = "default-src 'none'; sandbox"


class FileRoutes:
    """presigner is None where downloads go through the app."""

    def __init__(self, *, service: LibraryService, objects: ObjectStore, presigner: Presigner | None) -> None:
        self._service = service
        self._objects = objects
        self._presigner = presigner

    def add_to(self, app: web.Application) -> None:
        endpoint = Endpoint(
            method="GET",
            path="/api/documents/{document_id}/file",
            handler=self.file,
            summary="Get the file of a document, or a part of it",
            tag="Documents",
            access=Access.GUEST_OR_USER,
            scope=TokenScope.DOCUMENTS_READ,
            answer=Content((*dict.fromkeys(_CONTENT_TYPES.values()), _OTHER_CONTENT_TYPE)),
            other_answers={
                206: "The part that the Range header asks for",
                304: "The file that the caller has",
                307: "The file is at this address of the object store",
                416: "There is no such part",
            },
            problems=("DOCUMENT_NOT_FOUND", "FILE_GONE"),
        )
        add_endpoints(app, [endpoint])

    async def file(self, request: web.Request) -> web.StreamResponse:
        user = await require_user(request)
        document = await self._service.get(user.id, request.match_info["document_id"])
        if self._presigner is None:
            return await self._proxied(request, document)
        url = await self._presigner.download_url(
            document_key(document.sha256),
            seconds=_ADDRESS_SECONDS,
            content_type=_content_type(document),
            content_disposition=attachment(document.file_name),
        )
        return web.Response(status=307, headers={"Location": url, "Cache-Control": NO_STORE})

    async def _proxied(self, request: web.Request, document: Document) -> web.StreamResponse:
        headers = {
            "Accept-Ranges": "bytes",
            "Cache-Control": "private, no-cache",
            "Content-Disposition": attachment(document.file_name),
            "Content-Security-Policy": _FILE_POLICY,
            "Content-Type": _content_type(document),
            "ETag": f'"{document.sha256}"',
            "Vary": "Cookie",
            "X-Content-Type-Options": "nosniff",
        }
        if any(tag.value in {document.sha256, "*"} for tag in request.if_none_match or ()):
            return web.Response(status=304, headers=headers)
        span = _span(request, document)
        if span is None:
            headers["Content-Range"] = f"bytes */{document.size_bytes}"
            return web.Response(status=416, headers=headers)
        headers["Content-Length"] = str(span.stop - span.start)
        is_part = len(span) < document.size_bytes
        if is_part:
            headers["Content-Range"] = f"bytes {span.start}-{span.stop - 1}/{document.size_bytes}"
        response = web.StreamResponse(status=206 if is_part else 200, headers=headers)
        return await self._sent(request, response, document, span)

    async def _sent(
        self, request: web.Request, response: web.StreamResponse, document: Document, span: range
    ) -> web.StreamResponse:
        if request.method == "HEAD":
            await response.prepare(request)
            return response
        chunks = self._objects.stream(document_key(document.sha256), start=span.start, end=span.stop)
        try:
            first = await anext(chunks)
        except (ObjectNotFoundError, StopAsyncIteration) as error:
            raise LecternError(
                Code.NOT_FOUND, "The file of this document is gone.", reason="FILE_GONE"
            ) from error
        await response.prepare(request)
        await response.write(first)
        async for chunk in chunks:
            await response.write(chunk)
        await response.write_eof()
        return response


def _span(request: web.Request, document: Document) -> range | None:
    """What of the file is wanted (RFC 9110, 14.2); None when it lies behind the end. A range that isn't
    understood, or is meant for another version of the file, is as good as none."""
    size = document.size_bytes
    whole = range(size)
    condition = request.headers.get("If-Range")
    if condition is not None and condition.strip() != f'"{document.sha256}"':
        return whole
    try:
        wanted = request.http_range
    except ValueError:
        return whole
    if wanted.start is None:
        return whole
    span = whole[wanted.start : wanted.stop]
    return span or None


def _content_type(document: Document) -> str:
    return _CONTENT_TYPES.get(document.format, _OTHER_CONTENT_TYPE)


def attachment(file_name: str) -> str:
    """RFC 6266; the plain name for whoever doesn't know the other one."""
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '"\\%' else "_" for c in file_name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(file_name, safe='')}"
