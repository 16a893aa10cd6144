"""Playback sessions, as rows."""

from collections.abc import Collection
from dataclasses import asdict

from sqlalchemy import delete, insert, select

from app_server.database.engine import Database, lock_for_transaction
from app_server.database.schema import playback_sessions
from app_server.playback.model import PlaybackSession


class SqlPlaybackSessionStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def save(self, session: PlaybackSession, *, now_ms: int) -> None:
        async with self._database.write() as connection:
            await lock_for_transaction(connection, f"playback-session:{session.id}")
            await connection.execute(delete(playback_sessions).where(playback_sessions.c.id == session.id))
            row = {**asdict(session), "created_at_ms": now_ms}
            await connection.execute(insert(playback_sessions).values(row))

    async def find(self, session_id: str) -> PlaybackSession | None:
        async with self._database.read() as connection:
            wanted = select(playback_sessions).where(playback_sessions.c.id == session_id)
            row = (await connection.execute(wanted)).one_or_none()
        if row is None:
            return None
        return PlaybackSession(
            id=row.id, user_id=row.user_id, document_id=row.document_id, plan_id=row.plan_id
        )

    async def plans_in_use(self, plan_ids: Collection[str]) -> set[str]:
        """Those that a session follows."""
        wanted = select(playback_sessions.c.plan_id).where(playback_sessions.c.plan_id.in_(plan_ids))
        async with self._database.read() as connection:
            return set(await connection.scalars(wanted))

    async def remove_older(self, *, than_ms: int) -> int:
        """Returns how many there were."""
        old = delete(playback_sessions).where(playback_sessions.c.created_at_ms < than_ms)
        async with self._database.write() as connection:
            return (await connection.execute(old)).rowcount
