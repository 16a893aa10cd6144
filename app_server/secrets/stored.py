"""Every secret that the database holds, found by the schema's marks: checked at start, sealed anew as one."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import structlog
from sqlalchemy import Column, Table, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app_server.database.engine import Database
from app_server.database.schema import SEALED, metadata
from app_server.secrets.sealing import Place, SealBrokenError, SecretSealer

_NAMES = ("slug", "name", "email")  # columns by which people know a row, where there is one
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class StoredSecret:
    place: Place
    sealed: str
    row_name: str

    @property
    def shown(self) -> str:
        return f"{self.place.table} “{self.row_name}”, {self.place.column}"


@dataclass(frozen=True)
class Rotation:
    sealed_anew: int
    already_new: int
    unreadable: tuple[StoredSecret, ...]


def sealed_columns() -> list[tuple[Table, Column[Any]]]:
    return [
        (table, column)
        for table in metadata.sorted_tables
        for column in table.columns
        if column.info.items() >= SEALED.items()
    ]


async def stored_secrets(connection: AsyncConnection, *, lock: bool = False) -> AsyncIterator[StoredSecret]:
    for table, column in sealed_columns():
        (key,) = table.primary_key.columns
        name = next((table.columns[name] for name in _NAMES if name in table.columns), key)
        wanted = select(key, column, name.label("row_name")).where(column.is_not(None)).order_by(key)
        for row in await connection.execute(wanted.with_for_update() if lock else wanted):
            yield StoredSecret(Place(table.name, column.name, str(row[0])), row[1], str(row.row_name))


async def warn_of_unreadable_secrets(database: Database, sealer: SecretSealer) -> None:
    """A wrong AUTH_SECRET stops nobody from reading; each key that it makes useless is named."""
    async with database.read() as connection:
        secrets = [secret async for secret in stored_secrets(connection)]
    for secret in secrets:
        if not is_readable(secret.sealed, secret.place, sealer):
            _log.warning(
                "a stored key can't be decrypted, because AUTH_SECRET has changed: enter the key again, "
                "bring back the old AUTH_SECRET, or run `lectern rotate-secret`",
                table=secret.place.table,
                row=secret.row_name,
            )


async def rotate(
    database: Database, *, old: SecretSealer, new: SecretSealer, leave_unreadable: bool
) -> Rotation:
    """In one transaction; it changes nothing when a secret opens with neither and may not be left so."""
    anew: list[StoredSecret] = []
    unreadable: list[StoredSecret] = []
    already_new = 0
    async with database.write() as connection:
        async for secret in stored_secrets(connection, lock=True):
            if is_readable(secret.sealed, secret.place, new):
                already_new += 1
            elif is_readable(secret.sealed, secret.place, old):
                anew.append(secret)
            else:
                unreadable.append(secret)
        if unreadable and not leave_unreadable:
            return Rotation(0, already_new, tuple(unreadable))
        for secret in anew:
            text = old.open(secret.sealed, secret.place)
            await _store(connection, secret.place, new.seal(text, secret.place))
    return Rotation(len(anew), already_new, tuple(unreadable))


def is_readable(sealed: str, place: Place, sealer: SecretSealer) -> bool:
    try:
        sealer.open(sealed, place)
    except SealBrokenError:
        return False
    return True


async def _store(connection: AsyncConnection, place: Place, sealed: str) -> None:
    table = metadata.tables[place.table]
    (key,) = table.primary_key.columns
    await connection.execute(update(table).where(key == place.row).values({place.column: sealed}))
