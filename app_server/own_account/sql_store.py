"""One's own sessions, what one has stored, and the account's end, as rows."""

from sqlalchemy import delete, func, select, update

from app_server.accounts.model import Role
from app_server.accounts.sql_removal import remove_user
from app_server.database.engine import Database
from app_server.database.schema import blobs, documents, sessions, users
from app_server.own_account.model import DeviceSession, Overview
from app_server.user_management.administrators import lock_administrators, require_other_administrator


class SqlOwnAccount:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def overview(self, user_id: str) -> Overview:
        stored = (
            select(func.count(), func.coalesce(func.sum(blobs.c.size_bytes), 0))
            .select_from(documents)
            .join(blobs, blobs.c.sha256 == documents.c.sha256)
            .where(documents.c.owner_id == user_id)
        )
        password_hash = select(users.c.password_hash).where(users.c.id == user_id)
        async with self._database.read() as connection:
            count, size = (await connection.execute(stored)).one()
            has_password = bool(await connection.scalar(password_hash))
        return Overview(has_password=has_password, document_count=count, stored_bytes=int(size))

    async def sessions(self, user_id: str, *, now_ms: int) -> list[DeviceSession]:
        """Last used first."""
        wanted = (
            select(sessions)
            .where(sessions.c.user_id == user_id, sessions.c.expires_at_ms > now_ms)
            .order_by(sessions.c.renewed_at_ms.desc(), sessions.c.created_at_ms.desc(), sessions.c.id_hash)
        )
        async with self._database.read() as connection:
            rows = (await connection.execute(wanted)).all()
        return [
            DeviceSession(
                id_hash=row.id_hash,
                user_agent=row.user_agent or "",
                address=row.address or "",
                created_at_ms=row.created_at_ms,
                last_seen_at_ms=row.renewed_at_ms,
            )
            for row in rows
        ]

    async def end_session(self, user_id: str, id_hash: str) -> bool:
        """False when the user has no such session."""
        mine = (sessions.c.user_id == user_id, sessions.c.id_hash == id_hash)
        async with self._database.write() as connection:
            return (await connection.execute(delete(sessions).where(*mine))).rowcount > 0

    async def end_other_sessions(self, user_id: str, id_hash: str) -> None:
        others = (sessions.c.user_id == user_id, sessions.c.id_hash != id_hash)
        async with self._database.write() as connection:
            await connection.execute(delete(sessions).where(*others))

    async def begin_end(self, user_id: str, id_hash: str) -> None:
        """Nobody adds anything from elsewhere while it goes on. An administrator's rights end, so that two
        who leave at once can't leave nobody behind. Raises FAILED_PRECONDITION for the last one."""
        others = (sessions.c.user_id == user_id, sessions.c.id_hash != id_hash)
        async with self._database.write() as connection:
            await lock_administrators(connection)
            await require_other_administrator(connection, user_id)
            await connection.execute(
                update(users).where(users.c.id == user_id).values(role=Role.MEMBER.value)
            )
            await connection.execute(delete(sessions).where(*others))

    async def remove(self, user_id: str) -> None:
        async with self._database.write() as connection:
            await remove_user(connection, user_id)
