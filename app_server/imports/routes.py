"""/api/imports: pasted text and web pages become documents."""

from typing import Annotated

from aiohttp import web
from pydantic import Field

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.compute_limits.callers import Callers
from app_server.compute_limits.refusals import LIMIT_PROBLEMS
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import RequestBody, StoredText, json_response, read_body
from app_server.imports.page_fetcher import PAGE_PROBLEMS
from app_server.imports.service import ImportService, TextKind
from app_server.library.changes import DocumentChanges
from app_server.library.json_mapping import AddedAnswer, added_answer
from app_server.library.model import Added

MOST_TEXT_CHARACTERS = 1_000_000
# A character takes up to four bytes as UTF-8, and six as JSON that escapes it.
_MOST_BODY_BYTES = 6 * MOST_TEXT_CHARACTERS + 64 * 1024


class TextBody(RequestBody):
    text: Annotated[str, Field(min_length=1, max_length=MOST_TEXT_CHARACTERS)]
    title: Annotated[StoredText, Field(max_length=300)] = ""
    kind: TextKind = "text"


class WebPageBody(RequestBody):
    address: Annotated[StoredText, Field(min_length=1, max_length=4000)]


class ImportRoutes:
    def __init__(self, *, service: ImportService, callers: Callers, changes: DocumentChanges) -> None:
        self._service = service
        self._callers = callers
        self._changes = changes

    def add_to(self, app: web.Application) -> None:
        add_endpoints(
            app,
            [
                Endpoint(
                    method="POST",
                    path="/api/imports/text",
                    handler=self.text,
                    summary="Make a document of pasted text",
                    tag="Documents",
                    access=Access.GUEST_OR_USER,
                    scope=TokenScope.DOCUMENTS_WRITE,
                    body=TextBody,
                    answer=AddedAnswer,
                    status=201,
                    problems=("TEXT_EMPTY", "FILE_TOO_LARGE", "FORMAT_UNSUPPORTED", *LIMIT_PROBLEMS),
                ),
                Endpoint(
                    method="POST",
                    path="/api/imports/web-page",
                    handler=self.web_page,
                    summary="Make a document of a page of the public web",
                    tag="Documents",
                    # Who can't be held to account sends this server nowhere.
                    access=Access.USER,
                    scope=TokenScope.DOCUMENTS_WRITE,
                    body=WebPageBody,
                    answer=AddedAnswer,
                    status=201,
                    problems=(*PAGE_PROBLEMS, "FILE_TOO_LARGE", *LIMIT_PROBLEMS),
                ),
            ],
        )

    async def text(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        body = await read_body(request.clone(client_max_size=_MOST_BODY_BYTES), TextBody)
        caller = self._callers.of(request, user)
        added = await self._service.add_text(caller, body.text, title=body.title, kind=body.kind)
        return self._answer(added)

    async def web_page(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        body = await read_body(request, WebPageBody)
        return self._answer(await self._service.add_page(self._callers.of(request, user), body.address))

    def _answer(self, added: Added) -> web.Response:
        return json_response(added_answer(added, self._changes.progress_of(added.document.id)), status=201)
