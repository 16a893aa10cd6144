"""The audit log, as rows. Nothing changes a row once it is written."""

from typing import Any, Final

from sqlalchemy import ColumnElement, Row, and_, func, insert, or_, select, true
from sqlalchemy.ext.asyncio import AsyncConnection

from app_server.audit.model import AuditEntry, AuditNote, AuditPage, AuditQuery
from app_server.database.engine import Database
from app_server.database.schema import audit_log
from app_server.ids import new_id

PAGE_SIZE: Final = 25


async def write_note(connection: AsyncConnection, note: AuditNote, *, now_ms: int) -> None:
    """connection is that of the transaction that makes the change: there is both or neither."""
    row = {
        "id": new_id(),
        "at_ms": now_ms,
        "actor_id": note.actor_id,
        "actor_email": note.actor_email,
        "action": note.action,
        "target": note.target,
        "details": dict(note.details),
    }
    await connection.execute(insert(audit_log).values(row))


class SqlAuditLog:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def page(self, query: AuditQuery) -> AuditPage:
        """Newest first."""
        wanted = _condition(query)
        rows = (
            select(audit_log)
            .where(wanted)
            .order_by(audit_log.c.at_ms.desc(), audit_log.c.id.desc())
            .limit(PAGE_SIZE)
            .offset((query.page - 1) * PAGE_SIZE)
        )
        async with self._database.read() as connection:
            total = await connection.scalar(select(func.count()).select_from(audit_log).where(wanted))
            entries = [_entry(row) for row in await connection.execute(rows)]
        return AuditPage(entries, total or 0)


def _condition(query: AuditQuery) -> ColumnElement[bool]:
    conditions: list[ColumnElement[bool]] = [true()]
    if query.action:
        kind = audit_log.c.action.startswith(f"{query.action}.", autoescape=True)
        conditions.append(or_(audit_log.c.action == query.action, kind))
    if query.text:
        text = query.text.lower()
        columns = (audit_log.c.actor_email, audit_log.c.target)
        conditions.append(or_(*(func.lower(column).contains(text, autoescape=True) for column in columns)))
    return and_(*conditions)


def _entry(row: Row[Any]) -> AuditEntry:
    note = AuditNote(
        actor_id=row.actor_id,
        actor_email=row.actor_email,
        action=row.action,
        target=row.target,
        details=row.details,
    )
    return AuditEntry(id=row.id, at_ms=row.at_ms, note=note)
