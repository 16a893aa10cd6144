"""Whether the database and the object store do what they are for."""

import secrets
from typing import Final

from sqlalchemy import text

from app_server.database.engine import Database
from app_server.system_check.model import Finding, error, ok
from shared.objects.ports import ObjectStore

# Below uploads/, where anything that stays behind is removed after a day.
PROBE_PREFIX: Final = "uploads/system-check/"
DATABASE_FIX: Final = (
    "Check that SERVER_DB_URL leads to a running server, or that the disk of EMBEDDED_DB_PATH is there and "
    "has room."
)
OBJECTS_FIX: Final = (
    "Check S3_INTERNAL_ENDPOINT, S3_BUCKET and the two S3 keys, that they may write and delete, and that the "
    "disk has room; with the embedded store, see the log for why it stopped."
)


class DatabaseCheck:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def look(self) -> Finding:
        async with self._database.read() as connection:
            revision = await connection.scalar(text("SELECT version_num FROM alembic_version"))
        kind = "PostgreSQL" if self._database.is_postgresql else "SQLite"
        return ok(f"{kind} answers, at revision {revision}.")


class ObjectStoreCheck:
    def __init__(self, *, objects: ObjectStore) -> None:
        self._objects = objects

    async def look(self) -> Finding:
        key, body = f"{PROBE_PREFIX}{secrets.token_hex(8)}", secrets.token_bytes(64)
        await self._objects.put(key, body)
        try:
            if await self._objects.get(key) != body:
                return error("An object came back other than it was written.", OBJECTS_FIX)
        finally:
            await self._objects.delete(key)
        if await self._objects.info(key) is not None:
            return error("A deleted object is still there.", "Let the store's keys delete objects.")
        return ok("An object was written, read and deleted.")
