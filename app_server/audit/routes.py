"""/api/admin/audit: what administrators did."""

from typing import Annotated, Any

from aiohttp import web
from pydantic import Field

from app_server.accounts.access import Access, TokenScope
from app_server.audit.model import AuditEntry, AuditQuery
from app_server.audit.sql_store import PAGE_SIZE, SqlAuditLog
from app_server.clock import iso_time
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import AnswerBody, RequestQuery, StoredText, json_response, read_query


class EntriesQuery(RequestQuery):
    # A whole action, or its first word: user, provider, feature, limits, email, task.
    action: Annotated[StoredText, Field(max_length=64)] = ""
    # Part of an administrator's or a target's name.
    search: Annotated[StoredText, Field(max_length=320)] = ""
    page: Annotated[int, Field(ge=1, le=1_000_000)] = 1


class ShownEntry(AnswerBody):
    id: str
    at: str
    actor_email: str
    action: str
    target: str
    # By field: [before, after], or one word.
    details: dict[str, Any]


class EntriesAnswer(AnswerBody):
    entries: list[ShownEntry]
    total: int
    page_size: int


class AuditRoutes:
    def __init__(self, *, log: SqlAuditLog) -> None:
        self._log = log

    def add_to(self, app: web.Application) -> None:
        endpoint = Endpoint(
            method="GET",
            path="/api/admin/audit",
            handler=self.list,
            summary="Look into the audit log, the newest entries first",
            tag="Administration: audit log",
            access=Access.ADMIN,
            scope=TokenScope.ADMIN,
            query=EntriesQuery,
            answer=EntriesAnswer,
        )
        add_endpoints(app, [endpoint])

    async def list(self, request: web.Request) -> web.Response:
        query = read_query(request, EntriesQuery)
        page = await self._log.page(
            AuditQuery(action=query.action, text=query.search.strip(), page=query.page)
        )
        shown = [_shown(entry) for entry in page.entries]
        return json_response(EntriesAnswer(entries=shown, total=page.total, page_size=PAGE_SIZE))


def _shown(entry: AuditEntry) -> ShownEntry:
    return ShownEntry(
        id=entry.id,
        at=iso_time(entry.at_ms),
        actor_email=entry.note.actor_email,
        action=entry.note.action,
        target=entry.note.target,
        details=dict(entry.note.details),
    )
