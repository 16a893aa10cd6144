"""Runtime configuration rows."""

from typing import Any

from sqlalchemy import select

from app_server.database.engine import Database
from app_server.database.schema import runtime_config


class SqlFeatureStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def rows(self) -> dict[str, Any]:
        async with self._database.read() as connection:
            found = await connection.execute(select(runtime_config.c.key, runtime_config.c.value))
            return {row.key: row.value for row in found}
