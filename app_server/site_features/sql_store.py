"""Runtime configuration rows."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import delete, insert, select

from app_server.database.engine import Database, lock_for_transaction
from app_server.database.schema import runtime_config
from app_server.site_features.model import Source
from app_server.site_features.ports import FeatureRow


class SqlFeatureStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def rows(self) -> dict[str, FeatureRow]:
        async with self._database.read() as connection:
            found = await connection.execute(select(runtime_config))
            return {row.key: FeatureRow(row.value, Source(row.source)) for row in found}

    async def replace(self, values: Mapping[str, Any], *, source: Source, now_ms: int) -> None:
        rows = [
            {"key": key, "value": value, "source": source.value, "updated_at_ms": now_ms}
            for key, value in values.items()
        ]
        if not rows:
            return
        async with self._database.write() as connection:
            await lock_for_transaction(connection, "runtime_config")
            await connection.execute(delete(runtime_config).where(runtime_config.c.key.in_(values)))
            await connection.execute(insert(runtime_config).values(rows))

    async def remove(self, keys: Iterable[str]) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(runtime_config).where(runtime_config.c.key.in_(list(keys))))
