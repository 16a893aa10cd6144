"""The password of a locked document, on its way to the worker. It is kept nowhere."""

from typing import Annotated

from aiohttp import web
from pydantic import Field

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.compute_limits.callers import Callers
from app_server.compute_limits.refusals import LIMIT_PROBLEMS
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import RequestBody, json_response, read_body
from app_server.library.changes import DocumentChanges
from app_server.library.json_mapping import DocumentAnswer, shown_document
from app_server.library.service import LibraryService


class PasswordBody(RequestBody):
    password: Annotated[str, Field(min_length=1, max_length=250)]


class UnlockRoutes:
    def __init__(self, *, service: LibraryService, changes: DocumentChanges, callers: Callers) -> None:
        self._service = service
        self._changes = changes
        self._callers = callers

    def add_to(self, app: web.Application) -> None:
        endpoint = Endpoint(
            method="POST",
            path="/api/documents/{document_id}/password",
            handler=self.unlock,
            summary="Try a password on a locked document; with a wrong one its error is PASSWORD_WRONG",
            tag="Documents",
            access=Access.GUEST_OR_USER,
            scope=TokenScope.DOCUMENTS_WRITE,
            body=PasswordBody,
            answer=DocumentAnswer,
            status=202,
            problems=(
                "DOCUMENT_NOT_FOUND",
                "DOCUMENT_NOT_LOCKED",
                "TOO_MANY_ATTEMPTS",
                "WORKER_UNAVAILABLE",
                *LIMIT_PROBLEMS,
            ),
        )
        add_endpoints(app, [endpoint])

    async def unlock(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        body = await read_body(request, PasswordBody)
        caller = self._callers.of(request, user)
        document = await self._service.unlock(caller, request.match_info["document_id"], body.password)
        shown = shown_document(document, self._changes.progress_of(document.id))
        return json_response(DocumentAnswer(document=shown), status=202)
