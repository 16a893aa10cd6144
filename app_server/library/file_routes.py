"""The uploaded file itself, back to its owner: through the app, or from the store. Ranges work in both."""

from typing import Final

from aiohttp import web

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.http.endpoints import Content, Endpoint, add_endpoints
from app_server.library.formats import DocumentFormat
from app_server.library.model import Document, document_key
from app_server.library.service import LibraryService
from app_server.library.stored_files import RANGE_ANSWERS, StoredFile, StoredFileSender, attachment
from shared.errors import Code, LecternError

_CONTENT_TYPES: Final = {
    DocumentFormat.EPUB: "application/epub+zip",
    DocumentFormat.HTML: "text/html",
    DocumentFormat.MARKDOWN: "text/markdown",
    DocumentFormat.TEXT: "text/plain",
    DocumentFormat.WEB_PAGE: "text/html",
}
_OTHER_CONTENT_TYPE: Final = "application/octet-stream"


class FileRoutes:
    def __init__(self, *, service: LibraryService, sender: StoredFileSender) -> None:
        self._service = service
        self._sender = sender

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
        gone = LecternError(Code.NOT_FOUND, "The file of this document is gone.", reason="FILE_GONE")
        file = StoredFile(
            key=document_key(document.sha256),
            tag=document.sha256,
            size_bytes=document.size_bytes,
            content_type=_content_type(document),
            content_disposition=attachment(document.file_name),
            gone=gone,
        )
        return await self._sender.send(request, file)


def _content_type(document: Document) -> str:
    return _CONTENT_TYPES.get(document.format, _OTHER_CONTENT_TYPE)
