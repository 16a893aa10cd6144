"""What the rows of a guest become, on every database."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import insert, select, update

from app_server.accounts.model import AccessStatus, User, UserKind
from app_server.accounts.sql_store import SqlAccountStore
from app_server.database.engine import Database
from app_server.database.schema import documents, playback_sessions, reading_positions, recordings, users
from app_server.guests.sql_store import SqlGuestStore
from app_server.library.formats import DocumentFormat
from app_server.library.model import NewDocument, Position
from app_server.library.sql_store import SqlDocumentStore
from app_server.reading_options.model import ReadingOptions
from app_server.reading_options.sql_store import SqlReadingOptionsStore
from shared.pronunciation import PronunciationRule

ADA = User(id="a" * 32, email="ada@example.org", status=AccessStatus.ACTIVE)
GUEST = User(id="b" * 32, email="", status=AccessStatus.ACTIVE, kind=UserKind.ANONYMOUS)
Add = Callable[..., Awaitable[None]]


@pytest.fixture
async def add(database: Database) -> Add:
    """A document of somebody's, read up to a moment."""
    await SqlAccountStore(database=database).add(ADA, password_hash="hash", created_at_ms=1)
    await SqlGuestStore(database=database).add(GUEST, now_ms=1)
    store = SqlDocumentStore(database=database)

    async def add(identifier: str, owner: User, content: str, read_at_ms: int | None = None) -> None:
        await store.add(
            NewDocument(
                id=identifier,
                owner_id=owner.id,
                sha256=content * 64,
                size_bytes=5,
                file_name="a.epub",
                format=DocumentFormat.EPUB,
                title="A",
                created_at_ms=1,
            )
        )
        if read_at_ms is not None:
            place = Position(0, "0-0", 0, 0, 0.5, read_at_ms)
            await store.set_position(identifier, replace(place, segment_ordinal=read_at_ms))

    return add


async def column(database: Database, wanted: Any) -> list[Any]:
    async with database.read() as connection:
        return list(await connection.scalars(select(wanted)))


async def test_a_guests_documents_become_the_accounts(database: Database, add: Add) -> None:
    await add("g1", GUEST, "1", read_at_ms=5)
    await add("a2", ADA, "2")
    await SqlGuestStore(database=database).claim(GUEST.id, ADA.id)
    assert await column(database, users.c.id) == [ADA.id]
    assert set(await column(database, documents.c.owner_id)) == {ADA.id}
    assert sorted(await column(database, documents.c.id)) == ["a2", "g1"]
    assert await column(database, reading_positions.c.segment_ordinal) == [5]


async def test_of_two_places_the_later_one_stays(database: Database, add: Add) -> None:
    cases = [(9, 5, 9), (5, 9, 9), (9, None, 9), (None, 5, 5), (None, None, None)]
    for number, (guest_at, account_at, _) in enumerate(cases):
        await add(f"a{number}", ADA, str(number), read_at_ms=account_at)
        await add(f"g{number}", GUEST, str(number), read_at_ms=guest_at)
    await SqlGuestStore(database=database).claim(GUEST.id, ADA.id)
    assert sorted(await column(database, documents.c.id)) == [f"a{number}" for number in range(5)]
    async with database.read() as connection:
        rows = await connection.execute(select(reading_positions))
        kept = {row.document_id: row.segment_ordinal for row in rows}
    assert kept == {f"a{number}": last for number, (_, _, last) in enumerate(cases) if last is not None}


async def test_what_was_made_for_the_guests_copy_is_the_accounts(database: Database, add: Add) -> None:
    await add("a1", ADA, "1")
    await add("g1", GUEST, "1")
    session = {"id": "s", "user_id": GUEST.id, "document_id": "g1", "plan_id": "p", "created_at_ms": 1}
    recording = {
        "id": "r",
        "document_id": "g1",
        "file_name": "a.mp3",
        "media_type": "audio/mpeg",
        "size_bytes": 5,
        "created_at_ms": 1,
        "state": "ready",
    }
    async with database.write() as connection:
        await connection.execute(insert(playback_sessions).values(session))
        await connection.execute(insert(recordings).values(recording))
        mine = update(documents).where(documents.c.id == "g1")
        await connection.execute(mine.values(own_title="Theirs", own_authors=["Theirs"]))
        mine = update(documents).where(documents.c.id == "a1")
        await connection.execute(mine.values(own_title="Ours"))
    await SqlGuestStore(database=database).claim(GUEST.id, ADA.id)
    assert await column(database, playback_sessions.c.document_id) == ["a1"]
    assert await column(database, playback_sessions.c.user_id) == [ADA.id]
    assert await column(database, recordings.c.document_id) == ["a1"]
    assert await column(database, documents.c.own_title) == ["Ours"]
    assert await column(database, documents.c.own_authors) == [["Theirs"]]


async def test_reading_options_and_rules_come_over_where_the_account_has_none(
    database: Database, add: Add
) -> None:
    await add("1" * 32, ADA, "1")
    await add("2" * 32, ADA, "2")
    await add("3" * 32, GUEST, "1")
    await add("4" * 32, GUEST, "2")
    options = SqlReadingOptionsStore(database=database)
    here, there = ReadingOptions(skip_brackets=True), ReadingOptions(skip_citations=True)
    await options.set_for_document("1" * 32, here)
    await options.set_for_document("3" * 32, there)
    await options.set_for_document("4" * 32, there)
    both, only = PronunciationRule("word", "a", "b"), PronunciationRule("word", "c", "d")
    await options.set_rules_of_user(ADA.id, (both,))
    await options.set_rules_of_user(GUEST.id, (only, both))
    await SqlGuestStore(database=database).claim(GUEST.id, ADA.id)
    assert await options.of_document("1" * 32) == here
    assert await options.of_document("2" * 32) == there
    assert await options.rules_of_user(ADA.id) == (both, only)


async def test_an_account_is_never_removed_as_a_guest(database: Database, add: Add) -> None:
    guests = SqlGuestStore(database=database)
    assert await guests.without_session(made_before_ms=10, now_ms=10) == [GUEST.id]
    assert await guests.without_session(made_before_ms=1, now_ms=10) == []
    await guests.remove(ADA.id)
    await guests.remove(GUEST.id)
    assert await column(database, users.c.id) == [ADA.id]
