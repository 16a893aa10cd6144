"""Guests as rows, and how what they have becomes an account's."""

from sqlalchemy import ColumnElement, delete, exists, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app_server.accounts.model import User, UserKind
from app_server.accounts.sql_store import user_row
from app_server.database.engine import Database, lock_for_transaction
from app_server.database.schema import (
    documents,
    playback_sessions,
    pronunciation_rules,
    reading_options,
    reading_positions,
    recordings,
    sessions,
    users,
)
from shared.pronunciation import MOST_RULES


class SqlGuestStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def add(self, guest: User, *, now_ms: int) -> None:
        async with self._database.write() as connection:
            await connection.execute(insert(users).values(user_row(guest, created_at_ms=now_ms)))

    async def claim(self, guest_id: str, user_id: str) -> None:
        async with self._database.write() as connection:
            for owner_id in sorted((guest_id, user_id)):
                await lock_for_transaction(connection, f"documents-of:{owner_id}")
            for theirs, ours in await _documents_of_both(connection, guest_id, user_id):
                await _merge(connection, theirs, into=ours)
            for table, column in ((documents, "owner_id"), (playback_sessions, "user_id")):
                moved = update(table).where(table.c[column] == guest_id).values({column: user_id})
                await connection.execute(moved)
            await _join_rules(connection, guest_id, user_id)
            await connection.execute(delete(users).where(_is_guest(guest_id)))

    async def without_session(self, *, made_before_ms: int, now_ms: int) -> list[str]:
        lives = exists().where(sessions.c.user_id == users.c.id, sessions.c.expires_at_ms > now_ms)
        wanted = select(users.c.id).where(
            users.c.kind == UserKind.ANONYMOUS.value, users.c.created_at_ms < made_before_ms, ~lives
        )
        async with self._database.read() as connection:
            return list(await connection.scalars(wanted.order_by(users.c.created_at_ms, users.c.id)))

    async def remove(self, guest_id: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(users).where(_is_guest(guest_id)))


def _is_guest(user_id: str) -> ColumnElement[bool]:
    return (users.c.id == user_id) & (users.c.kind == UserKind.ANONYMOUS.value)


async def _documents_of_both(
    connection: AsyncConnection, guest_id: str, user_id: str
) -> list[tuple[str, str]]:
    """Documents with the same bytes: the guest's, and the account's own."""
    ours = documents.alias()
    wanted = (
        select(documents.c.id, ours.c.id)
        .join(ours, ours.c.sha256 == documents.c.sha256)
        .where(documents.c.owner_id == guest_id, ours.c.owner_id == user_id)
    )
    return [(row[0], row[1]) for row in await connection.execute(wanted)]


async def _merge(connection: AsyncConnection, theirs: str, *, into: str) -> None:
    """The account's own document stays, with all that was made for either."""
    await _keep_last_place(connection, theirs, into)
    await _keep_corrections(connection, theirs, into)
    await _keep_options(connection, theirs, into)
    for table in (playback_sessions, recordings):
        await connection.execute(update(table).where(table.c.document_id == theirs).values(document_id=into))
    await connection.execute(delete(documents).where(documents.c.id == theirs))


async def _keep_last_place(connection: AsyncConnection, theirs: str, ours: str) -> None:
    at = reading_positions.c
    rows = await connection.execute(select(reading_positions).where(at.document_id.in_((theirs, ours))))
    times: dict[str, int] = {row.document_id: row.updated_at_ms for row in rows}
    if times.get(theirs, -1) > times.get(ours, -1):
        await connection.execute(delete(reading_positions).where(at.document_id == ours))
        moved = update(reading_positions).where(at.document_id == theirs)
        await connection.execute(moved.values(document_id=ours))


async def _keep_corrections(connection: AsyncConnection, theirs: str, ours: str) -> None:
    """What both have corrected stays as the account has it."""
    corrected = (documents.c.own_title, documents.c.own_authors, documents.c.own_language)
    rows = await connection.execute(
        select(documents.c.id, *corrected).where(documents.c.id.in_((theirs, ours)))
    )
    by_id = {row.id: row._mapping for row in rows}  # noqa: SLF001  # SQLAlchemy's public name for it
    values = {
        column.name: by_id[theirs][column.name] for column in corrected if by_id[ours][column.name] is None
    }
    await connection.execute(update(documents).where(documents.c.id == ours).values(values))


async def _keep_options(connection: AsyncConnection, theirs: str, ours: str) -> None:
    """Those of the account's own document stay, where there are any."""
    column = reading_options.c.document_id
    if await connection.scalar(select(column).where(column == ours)) is None:
        moved = update(reading_options).where(column == theirs).values(document_id=ours)
        await connection.execute(moved)


async def _join_rules(connection: AsyncConnection, guest_id: str, user_id: str) -> None:
    """The account's own rules come first, and the guest's after them as far as there is room."""
    mine = pronunciation_rules.c.user_id
    rows = await connection.execute(select(pronunciation_rules).where(mine.in_((guest_id, user_id))))
    rules = {row.user_id: row.rules for row in rows}
    if guest_id not in rules:
        return
    joined = [*rules.get(user_id, []), *(one for one in rules[guest_id] if one not in rules.get(user_id, []))]
    await connection.execute(delete(pronunciation_rules).where(mine.in_((guest_id, user_id))))
    row = {"user_id": user_id, "rules": joined[:MOST_RULES]}
    await connection.execute(insert(pronunciation_rules).values(row))
