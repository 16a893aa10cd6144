"""What an export holds: every row that is the user's, found by the schema's own references."""

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any, Final

from pydantic.alias_generators import to_camel
from sqlalchemy import Column, Table, select

from app_server.account_export.model import AccountContent, OwnedFile
from app_server.clock import iso_time
from app_server.database.engine import Database
from app_server.database.schema import (
    account_exports,
    blobs,
    documents,
    email_links,
    metadata,
    sign_in_flows,
    users,
)
from app_server.library.model import document_key
from app_server.secrets.stored import sealed_columns

# Secrets on their way, and the exports themselves.
LEFT_OUT: Final = frozenset({email_links.name, sign_in_flows.name, account_exports.name})
_TIME_SUFFIX: Final = "_at_ms"
# Passwords and identifiers of sessions, tokens and links.
_HASH: Final = re.compile(r"(^|_)hash$")
_UNSAFE_IN_NAMES: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')


class SqlAccountContent:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def of(self, user_id: str) -> AccountContent:
        my_documents = select(documents.c.id).where(documents.c.owner_id == user_id)
        records: dict[str, list[dict[str, object]]] = {}
        async with self._database.read() as connection:
            for table, column in owned_tables():
                is_mine = column.in_(my_documents) if _refers_to(column, documents) else column == user_id
                rows = await connection.execute(select(*_shown(table)).where(is_mine))
                records[table.name] = [_record(row._mapping) for row in rows]  # noqa: SLF001  # its public name
            owned = (
                select(documents.c.file_name, blobs.c.sha256, blobs.c.size_bytes)
                .join(blobs, blobs.c.sha256 == documents.c.sha256)
                .where(documents.c.owner_id == user_id)
                .order_by(documents.c.created_at_ms, documents.c.id)
            )
            files = (await connection.execute(owned)).all()
        names = _distinct(row.file_name for row in files)
        return AccountContent(
            records=records,
            files=tuple(
                OwnedFile(name, document_key(row.sha256), row.size_bytes)
                for name, row in zip(names, files, strict=True)
            ),
        )


def owned_tables() -> list[tuple[Table, Column[Any]]]:
    """Every table whose rows are somebody's, with the column that says whose: a user or a document."""
    found: list[tuple[Table, Column[Any]]] = [(users, users.c.id)]
    for table in metadata.sorted_tables:
        if table.name in LEFT_OUT:
            continue
        owner = next((column for column in table.columns if _refers_to(column, users)), None)
        owner = owner if owner is not None else _document_column(table)
        if owner is not None:
            found.append((table, owner))
    return found


def _document_column(table: Table) -> Column[Any] | None:
    return next((column for column in table.columns if _refers_to(column, documents)), None)


def _refers_to(column: Column[Any], table: Table) -> bool:
    return any(key.column.table is table for key in column.foreign_keys)


def _shown(table: Table) -> list[Column[Any]]:
    sealed = {column for _, column in sealed_columns()}
    return [column for column in table.columns if column not in sealed and not _HASH.search(column.name)]


def _record(row: Mapping[Any, Any]) -> dict[str, object]:
    return dict(_field(str(name), value) for name, value in row.items())


def _field(name: str, value: object) -> tuple[str, object]:
    """Times as people write them."""
    if name.endswith(_TIME_SUFFIX):
        shown = iso_time(value) if isinstance(value, int) else None
        return to_camel(name.removesuffix("_ms")), shown
    return to_camel(name), value


def _distinct(names: Iterable[str]) -> list[str]:
    """As file names that every system takes, no two the same."""
    given: set[str] = set()
    result = []
    for name in names:
        clean = _UNSAFE_IN_NAMES.sub("_", name).strip(". ") or "document"
        path, candidate, number = PurePath(clean), clean, 2
        while candidate.casefold() in given:
            candidate = f"{path.stem} ({number}){path.suffix}"
            number += 1
        given.add(candidate.casefold())
        result.append(candidate)
    return result
