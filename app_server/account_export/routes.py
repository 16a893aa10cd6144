"""/api/user/export and /exports: one's account as a ZIP archive, made beside requests, kept for a week."""

from typing import Final, Literal

from aiohttp import web

from app_server.account_export.model import AccountExport, export_key
from app_server.account_export.service import AccountExports
from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.clock import iso_time
from app_server.compute_limits.callers import Callers
from app_server.compute_limits.refusals import LIMIT_PROBLEMS
from app_server.http.endpoints import Content, Endpoint, add_endpoints
from app_server.http.json_bodies import NO_STORE, AnswerBody, json_response, no_content
from app_server.library.stored_files import RANGE_ANSWERS, StoredFile, StoredFileSender, attachment
from shared.errors import Code, LecternError

_ZIP: Final = "application/zip"


class ShownExport(AnswerBody):
    id: str
    state: Literal["queued", "running", "ready", "failed"]
    requested_at: str
    # Files that are in the archive, of all.
    done: int
    total: int
    size_bytes: int | None
    expires_at: str | None
    failure: str | None


class ExportAnswer(AnswerBody):
    export: ShownExport


class ExportsAnswer(AnswerBody):
    exports: list[ShownExport]


class AccountExportRoutes:
    def __init__(
        self,
        *,
        exports: AccountExports,
        sender: StoredFileSender,
        callers: Callers,
    ) -> None:
        self._exports = exports
        self._sender = sender
        self._callers = callers

    def add_to(self, app: web.Application) -> None:
        add_endpoints(
            app,
            [
                Endpoint(
                    method="POST",
                    path="/api/user/export",
                    handler=self.start,
                    summary="Export one's whole account; while that is being done, the same one again",
                    tag="Accounts",
                    access=Access.USER,
                    scope=TokenScope.ACCOUNT,
                    answer=ExportAnswer,
                    status=202,
                    problems=(*LIMIT_PROBLEMS, "QUEUE_LIMIT_REACHED"),
                ),
                Endpoint(
                    method="GET",
                    path="/api/user/exports",
                    handler=self.list,
                    summary="One's exports, newest first",
                    tag="Accounts",
                    access=Access.USER,
                    scope=TokenScope.ACCOUNT,
                    answer=ExportsAnswer,
                ),
                Endpoint(
                    method="GET",
                    path="/api/user/exports/{export_id}/file",
                    handler=self.file,
                    summary="The archive of an export, or a part of it",
                    tag="Accounts",
                    access=Access.USER,
                    scope=TokenScope.ACCOUNT,
                    answer=Content((_ZIP,)),
                    other_answers=RANGE_ANSWERS,
                    problems=("EXPORT_NOT_FOUND", "EXPORT_NOT_READY", "FILE_GONE"),
                ),
                Endpoint(
                    method="DELETE",
                    path="/api/user/exports/{export_id}",
                    handler=self.remove,
                    summary="Delete an export, also one that is being made",
                    tag="Accounts",
                    access=Access.USER,
                    scope=TokenScope.ACCOUNT,
                    status=204,
                    problems=("EXPORT_NOT_FOUND",),
                ),
            ],
        )

    async def start(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        export = await self._exports.start(self._callers.of(request, user))
        return json_response(ExportAnswer(export=_shown(export)), status=202)

    async def list(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        exports = await self._exports.list(user.id)
        return json_response(ExportsAnswer(exports=[_shown(export) for export in exports]))

    async def remove(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        await self._exports.remove(user.id, request.match_info["export_id"])
        return no_content()

    async def file(self, request: web.Request) -> web.StreamResponse:
        user = await require_user(request)
        export, size_bytes = await self._exports.ready(user.id, request.match_info["export_id"])
        file = StoredFile(
            key=export_key(export),
            tag=export.id,
            size_bytes=size_bytes,
            content_type=_ZIP,
            content_disposition=attachment(f"lectern-{iso_time(export.requested_at_ms)[:10]}.zip"),
            gone=LecternError(Code.NOT_FOUND, "The file of this export is gone.", reason="FILE_GONE"),
            headers={"Cache-Control": NO_STORE},
        )
        return await self._sender.send(request, file)


def _shown(export: AccountExport) -> ShownExport:
    return ShownExport(
        id=export.id,
        state=export.state.value,
        requested_at=iso_time(export.requested_at_ms),
        done=export.done,
        total=export.total,
        size_bytes=export.size_bytes,
        expires_at=iso_time(export.expires_at_ms) if export.expires_at_ms else None,
        failure=export.failure,
    )
