"""Title, authors and language of a document, as its owner wants them."""

from dataclasses import replace
from typing import Annotated

from aiohttp import web
from pydantic import Field, StringConstraints

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import RequestBody, json_response, read_body
from app_server.library.changes import DocumentChanges
from app_server.library.json_mapping import DocumentAnswer, shown_document
from app_server.library.model import OwnMetadata
from app_server.library.service import LibraryService

# PostgreSQL stores no NUL in text.
_Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300, pattern=r"^[^\x00]*$")
]
_LanguageTag = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$", max_length=35)
]


class MetadataBody(RequestBody):
    """What is left out stays as it is; null goes back to what the file says."""

    title: _Name | None = None
    authors: Annotated[list[_Name], Field(max_length=50)] | None = None
    # A BCP 47 tag.
    language: _LanguageTag | None = None


class MetadataRoutes:
    def __init__(self, *, service: LibraryService, changes: DocumentChanges) -> None:
        self._service = service
        self._changes = changes

    def add_to(self, app: web.Application) -> None:
        endpoint = Endpoint(
            method="PATCH",
            path="/api/documents/{document_id}",
            handler=self.change,
            summary="Change the title, the authors or the language of a document",
            tag="Documents",
            access=Access.GUEST_OR_USER,
            scope=TokenScope.DOCUMENTS_WRITE,
            body=MetadataBody,
            answer=DocumentAnswer,
            problems=("DOCUMENT_NOT_FOUND",),
        )
        add_endpoints(app, [endpoint])

    async def change(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        body = await read_body(request, MetadataBody)
        document = await self._service.get(user.id, request.match_info["document_id"])
        changed = await self._service.set_own_metadata(user.id, document.id, _changed(document.own, body))
        shown = shown_document(changed, self._changes.progress_of(changed.id))
        return json_response(DocumentAnswer(document=shown))


def _changed(own: OwnMetadata, body: MetadataBody) -> OwnMetadata:
    if "title" in body.model_fields_set:
        own = replace(own, title=body.title)
    if "authors" in body.model_fields_set:
        own = replace(own, authors=None if body.authors is None else tuple(body.authors))
    if "language" in body.model_fields_set:
        own = replace(own, language=body.language)
    return own
