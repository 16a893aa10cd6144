"""Exports and the queue of those to be made, as rows that several app servers share."""

from typing import Any

from sqlalchemy import Row, delete, func, insert, select, update

from app_server.account_export.model import AccountExport, ExportState
from app_server.database.engine import Database, lock_for_transaction
from app_server.database.schema import account_exports

_UNDER_WAY = (ExportState.QUEUED.value, ExportState.RUNNING.value)


class SqlExportStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def add(self, export: AccountExport) -> AccountExport:
        """Or the one that is under way for this user already."""
        row = {
            "id": export.id,
            "user_id": export.user_id,
            "state": export.state.value,
            "requested_at_ms": export.requested_at_ms,
            "leased_until_ms": 0,
            "attempts": 0,
            "done": 0,
            "total": 0,
        }
        mine = (account_exports.c.user_id == export.user_id, account_exports.c.state.in_(_UNDER_WAY))
        async with self._database.write() as connection:
            await lock_for_transaction(connection, f"account-export:{export.user_id}")
            present = (await connection.execute(select(account_exports).where(*mine).limit(1))).one_or_none()
            if present is not None:
                return _export(present)
            await connection.execute(insert(account_exports).values(row))
        return export

    async def of_user(self, user_id: str) -> list[AccountExport]:
        """Newest first."""
        wanted = (
            select(account_exports)
            .where(account_exports.c.user_id == user_id)
            .order_by(account_exports.c.requested_at_ms.desc(), account_exports.c.id.desc())
        )
        async with self._database.read() as connection:
            return [_export(row) for row in await connection.execute(wanted)]

    async def find(self, export_id: str) -> AccountExport | None:
        async with self._database.read() as connection:
            wanted = select(account_exports).where(account_exports.c.id == export_id)
            row = (await connection.execute(wanted)).one_or_none()
        return _export(row) if row else None

    async def count_waiting(self) -> int:
        is_waiting = (account_exports.c.state == ExportState.QUEUED.value, account_exports.c.attempts == 0)
        wanted = select(func.count()).select_from(account_exports).where(*is_waiting)
        async with self._database.read() as connection:
            count = await connection.execute(wanted)
        return int(count.scalar_one())

    async def take(self, *, now_ms: int, leased_until_ms: int) -> AccountExport | None:
        """The oldest one that nobody is working on. Its attempt is counted."""
        free = (
            select(account_exports)
            .where(account_exports.c.state.in_(_UNDER_WAY), account_exports.c.leased_until_ms <= now_ms)
            .order_by(account_exports.c.requested_at_ms, account_exports.c.id)
            .limit(1)
        )
        while True:
            async with self._database.read() as connection:
                row = (await connection.execute(free)).one_or_none()
            if row is None:
                return None
            values = {
                "state": ExportState.RUNNING.value,
                "leased_until_ms": leased_until_ms,
                "attempts": row.attempts + 1,
                "done": 0,
            }
            unchanged = (
                account_exports.c.id == row.id,
                account_exports.c.attempts == row.attempts,
                account_exports.c.leased_until_ms == row.leased_until_ms,
            )
            async with self._database.write() as connection:
                taken = await connection.execute(update(account_exports).where(*unchanged).values(values))
            if taken.rowcount == 1:
                return await self.find(row.id)

    async def advance(self, export: AccountExport, *, done: int, total: int, leased_until_ms: int) -> bool:
        """False when it is no longer this attempt's: somebody else has it, or nobody wants it any more."""
        return await self._change(export, {"done": done, "total": total, "leased_until_ms": leased_until_ms})

    async def finish(
        self, export: AccountExport, *, size_bytes: int, now_ms: int, expires_at_ms: int
    ) -> bool:
        values = {
            "state": ExportState.READY.value,
            "size_bytes": size_bytes,
            "failure": None,
            "finished_at_ms": now_ms,
            "expires_at_ms": expires_at_ms,
        }
        return await self._change(export, values)

    async def put_back(self, export: AccountExport, *, failure: str, due_at_ms: int) -> bool:
        values = {"state": ExportState.QUEUED.value, "failure": failure, "leased_until_ms": due_at_ms}
        return await self._change(export, values)

    async def fail(self, export: AccountExport, *, failure: str, now_ms: int, expires_at_ms: int) -> bool:
        values = {
            "state": ExportState.FAILED.value,
            "failure": failure,
            "finished_at_ms": now_ms,
            "expires_at_ms": expires_at_ms,
        }
        return await self._change(export, values)

    async def remove(self, export_id: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(account_exports).where(account_exports.c.id == export_id))

    async def expired(self, *, now_ms: int) -> list[AccountExport]:
        async with self._database.read() as connection:
            wanted = select(account_exports).where(account_exports.c.expires_at_ms <= now_ms)
            return [_export(row) for row in await connection.execute(wanted)]

    async def _change(self, export: AccountExport, values: dict[str, Any]) -> bool:
        mine = (
            account_exports.c.id == export.id,
            account_exports.c.state == ExportState.RUNNING.value,
            account_exports.c.attempts == export.attempts,
        )
        async with self._database.write() as connection:
            changed = await connection.execute(update(account_exports).where(*mine).values(values))
        return changed.rowcount == 1


def _export(row: Row[Any]) -> AccountExport:
    return AccountExport(
        id=row.id,
        user_id=row.user_id,
        state=ExportState(row.state),
        requested_at_ms=row.requested_at_ms,
        attempts=row.attempts,
        done=row.done,
        total=row.total,
        size_bytes=row.size_bytes,
        failure=row.failure,
        expires_at_ms=row.expires_at_ms,
    )
