"""Runtime configuration rows."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app_server.accounts.model import User
from app_server.audit.sql_store import write_note
from app_server.database.engine import Database, lock_for_transaction
from app_server.database.schema import runtime_config
from app_server.site_features.audit import change_notes, default_values, values_in_force
from app_server.site_features.model import Source
from app_server.site_features.ports import FeatureRow


class SqlFeatureStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def rows(self) -> dict[str, FeatureRow]:
        async with self._database.read() as connection:
            found = await connection.execute(select(runtime_config))
            return {row.key: FeatureRow(row.value, Source(row.source)) for row in found}

    async def replace(
        self, values: Mapping[str, Any], *, source: Source, now_ms: int, actor: User | None = None
    ) -> None:
        rows = [
            {"key": key, "value": value, "source": source.value, "updated_at_ms": now_ms}
            for key, value in values.items()
        ]
        if not rows:
            return
        async with self._database.write() as connection:
            await _note(connection, values, actor=actor, now_ms=now_ms, verb="change")
            await connection.execute(delete(runtime_config).where(runtime_config.c.key.in_(values)))
            await connection.execute(insert(runtime_config).values(rows))

    async def remove(self, keys: Iterable[str], *, now_ms: int, actor: User | None = None) -> None:
        wanted, defaults = list(keys), default_values()
        after = {key: defaults[key] for key in wanted if key in defaults}
        async with self._database.write() as connection:
            await _note(connection, after, actor=actor, now_ms=now_ms, verb="reset")
            await connection.execute(delete(runtime_config).where(runtime_config.c.key.in_(wanted)))


async def _note(
    connection: AsyncConnection, after: Mapping[str, Any], *, actor: User | None, now_ms: int, verb: str
) -> None:
    """Keeps other changes out until the transaction ends."""
    await lock_for_transaction(connection, "runtime_config")
    if actor is None:
        return
    stored = {row.key: row.value for row in await connection.execute(select(runtime_config))}
    for note in change_notes(actor, values_in_force(stored), after, verb=verb):
        await write_note(connection, note, now_ms=now_ms)
