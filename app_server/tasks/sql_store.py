"""Settings, leases and latest runs of scheduled tasks, as rows."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import Row, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from app_server.audit.model import AuditNote
from app_server.audit.sql_store import write_note
from app_server.database.engine import Database
from app_server.database.schema import scheduled_tasks
from app_server.tasks.model import Outcome, Report, TaskChange, TaskRecord


class SqlTaskStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def records(self) -> dict[str, TaskRecord]:
        async with self._database.read() as connection:
            return {row.key: _record(row) for row in await connection.execute(select(scheduled_tasks))}

    async def claim(self, key: str, run_id: str, *, seen: TaskRecord, now_ms: int, lease_ms: int) -> bool:
        columns = scheduled_tasks.c
        # Whoever began a run since has changed the one or the other.
        unchanged = (
            columns.key == key,
            columns.started_at_ms.is_not_distinct_from(seen.started_at_ms),
            columns.lease_until_ms.is_not_distinct_from(seen.lease_until_ms),
        )
        values = {"run_id": run_id, "started_at_ms": now_ms, "lease_until_ms": now_ms + lease_ms}
        async with self._database.write() as connection:
            await _ensure(connection, key)
            claimed = await connection.execute(update(scheduled_tasks).where(*unchanged).values(values))
        return bool(claimed.rowcount)

    async def finish(self, run_id: str, report: Report, *, now_ms: int) -> None:
        values = {
            "run_id": None,
            "lease_until_ms": None,
            "finished_at_ms": now_ms,
            "outcome": report.outcome.value,
            "counts": dict(report.counts),
            "message": report.message,
        }
        mine = scheduled_tasks.c.run_id == run_id
        async with self._database.write() as connection:
            await connection.execute(update(scheduled_tasks).where(mine).values(values))

    async def change(self, key: str, change: TaskChange, *, note: AuditNote, now_ms: int) -> None:
        values = {name: value for name, value in asdict(change).items() if value is not None}
        async with self._database.write() as connection:
            await _ensure(connection, key)
            await connection.execute(
                update(scheduled_tasks).where(scheduled_tasks.c.key == key).values(values)
            )
            await write_note(connection, note, now_ms=now_ms)

    async def note(self, note: AuditNote, *, now_ms: int) -> None:
        async with self._database.write() as connection:
            await write_note(connection, note, now_ms=now_ms)


async def _ensure(connection: AsyncConnection, key: str) -> None:
    known = select(scheduled_tasks.c.key).where(scheduled_tasks.c.key == key)
    if (await connection.execute(known)).first() is not None:
        return
    try:
        async with connection.begin_nested():
            await connection.execute(insert(scheduled_tasks).values(key=key))
    except IntegrityError:
        pass  # another app server was quicker


def _record(row: Row[Any]) -> TaskRecord:
    return TaskRecord(
        is_enabled=row.is_enabled,
        interval_seconds=row.interval_seconds,
        retention_days=row.retention_days,
        lease_until_ms=row.lease_until_ms,
        started_at_ms=row.started_at_ms,
        finished_at_ms=row.finished_at_ms,
        outcome=Outcome(row.outcome) if row.outcome else None,
        counts=row.counts or {},
        message=row.message or "",
    )
