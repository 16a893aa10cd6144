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
from app_server.library.stored_files import RANGE_ANSWERS, StoredFile, send_stored_file
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectStore
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
            other_answers=RANGE_ANSWERS,
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
        gone = LecternError(Code.NOT_FOUND, "The file of this document is gone.", reason="FILE_GONE")
        file = StoredFile(
            key=document_key(document.sha256),
            tag=document.sha256,
            size_bytes=document.size_bytes,
            gone=gone,
            headers={
                "Content-Disposition": attachment(document.file_name),
                "Content-Security-Policy": _FILE_POLICY,
                "Content-Type": _content_type(document),
            },
        )
        return await send_stored_file(request, self._objects, file)


def _content_type(document: Document) -> str:
    return _CONTENT_TYPES.get(document.format, _OTHER_CONTENT_TYPE)


def attachment(file_name: str) -> str:
    """RFC 6266; the plain name for whoever doesn't know the other one."""
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '"\\%' else "_" for c in file_name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(file_name, safe='')}"
