"""Every store's rules, on every database."""

import asyncio
from dataclasses import replace

import pytest

from app_server.accounts.model import AccessStatus, SeenFrom, User
from app_server.accounts.ports import EmailTakenError, Window
from app_server.accounts.sql_store import SqlAccountStore, SqlAttemptStore, SqlSessionStore
from app_server.database.engine import Database
from app_server.library.formats import DocumentFormat
from app_server.library.model import DocumentFailure, DocumentState, NewDocument, Position, ReadingSummary
from app_server.library.sql_store import SqlDocumentStore
from app_server.playback.model import PlaybackSession
from app_server.playback.sql_store import SqlPlaybackSessionStore
from app_server.site_features.service import SiteFeatureService
from app_server.site_features.sql_store import SqlFeatureStore

ADA = User(id="a" * 32, email="ada@example.org", status=AccessStatus.ACTIVE)
SEEN = SeenFrom(user_agent="", address="")
STORY = NewDocument(
    id="d" * 32,
    owner_id=ADA.id,
    sha256="0" * 64,
    size_bytes=5_000_000_000,
    file_name="Erzählung.epub",
    format=DocumentFormat.EPUB,
    title="Erzählung 📖",
    created_at_ms=1_800_000_000_000,
)


@pytest.fixture
async def ada(database: Database) -> User:
    await SqlAccountStore(database=database).add(ADA, password_hash="hash", created_at_ms=1)
    return ADA


@pytest.fixture
def documents(database: Database, ada: User) -> SqlDocumentStore:
    return SqlDocumentStore(database=database)


async def test_an_address_is_taken_once(database: Database, ada: User) -> None:
    accounts = SqlAccountStore(database=database)
    with pytest.raises(EmailTakenError):
        await accounts.add(replace(ada, id="b" * 32), password_hash="other", created_at_ms=1)
    found = await accounts.credentials(ada.email)
    assert found is not None
    assert (found.user, found.password_hash) == (ada, "hash")
    assert await accounts.credentials("nobody@example.org") is None


async def test_a_session_is_found_until_it_expires(database: Database, ada: User) -> None:
    sessions = SqlSessionStore(database=database)
    await sessions.add("h", user_id=ada.id, seen_from=SEEN, now_ms=0, expires_at_ms=10)
    found = await sessions.find("h", now_ms=9)
    assert found is not None
    assert found.user == ada
    assert await sessions.find("h", now_ms=10) is None
    await sessions.renew("h", seen_from=SEEN, now_ms=9, expires_at_ms=20)
    assert await sessions.find("h", now_ms=19) is not None
    await sessions.remove_expired(now_ms=20)
    assert await sessions.find("h", now_ms=0) is None


async def test_attempts_are_counted_together_however_they_come(database: Database) -> None:
    attempts, windows = SqlAttemptStore(database=database), [Window(5, 60_000)]
    waits = await asyncio.gather(*(attempts.admit("s", windows, now_ms=1000) for _ in range(8)))
    assert sorted(wait or 0 for wait in waits) == [0] * 5 + [60_000] * 3
    assert await attempts.admit("other", windows, now_ms=1000) is None
    assert await attempts.admit("s", windows, now_ms=61_001) is None
    await attempts.forget("s")
    await attempts.remove_older(than_ms=10**15)


async def test_a_document_goes_through_its_states(documents: SqlDocumentStore) -> None:
    added = await documents.add(STORY)
    assert (added.state, added.title, added.size_bytes) == (
        DocumentState.PROCESSING,
        STORY.title,
        STORY.size_bytes,
    )
    assert await documents.processing_ids() == [STORY.id]
    await documents.set_operation(STORY.id, "op")
    await documents.set_failed(STORY.id, DocumentFailure("CODE", "Said.", retryable=True))
    failed = await documents.find(STORY.id)
    assert failed is not None
    assert failed.failure == DocumentFailure("CODE", "Said.", retryable=True)
    await documents.restart(STORY.id)
    summary = ReadingSummary(
        title="T", authors=("A", "B"), language="en", cover=None, character_count=3, section_count=1
    )
    await documents.set_ready(STORY.id, reading_ref="reading/x/", summary=summary)
    ready = await documents.find(STORY.id)
    assert ready is not None
    assert (ready.state, ready.failure, ready.operation_id) == (DocumentState.READY, None, None)
    assert (ready.authors, ready.reading_ref) == (("A", "B"), "reading/x/")
    assert await documents.processing_ids() == []


async def test_the_same_bytes_of_one_owner_are_one_document(documents: SqlDocumentStore) -> None:
    same = [replace(STORY, id=f"{number:032x}") for number in range(4)]
    added = await asyncio.gather(*(documents.add(one) for one in same))
    assert len({document.id for document in added}) == 1
    assert await documents.is_owned(STORY.sha256)
    await documents.remove(added[0].id)
    assert not await documents.is_owned(STORY.sha256)
    await documents.forget_blob(STORY.sha256)


async def test_a_position_is_replaced(documents: SqlDocumentStore) -> None:
    await documents.add(STORY)
    for number in range(2):
        position = Position(number, "0-1", 2, 0, 0.5, 1_800_000_000_000)
        await documents.set_position(STORY.id, position)
    found = await documents.find(STORY.id)
    assert found is not None
    assert found.position == position


async def test_another_reading_takes_the_place_of_the_one_it_was_made_for(
    documents: SqlDocumentStore,
) -> None:
    summary = ReadingSummary(
        title="T", authors=(), language="en", cover=None, character_count=3, section_count=1
    )
    place = Position(0, "0-1", 2, 0, 0.5, 1_800_000_000_000)
    await documents.add(STORY)
    await documents.set_ready(STORY.id, reading_ref="reading/x/1/", summary=summary)
    await documents.set_position(STORY.id, place)
    before = await documents.find(STORY.id)
    assert before is not None
    await documents.set_position(STORY.id, replace(place, offset=9))
    moved, newer = replace(place, block_id="0-7"), replace(summary, title="Newer")
    renewal = {"reading_ref": "reading/x/2/", "summary": newer, "position": moved}
    assert not await documents.renew(before, **renewal)
    assert await documents.find(STORY.id) == replace(before, position=replace(place, offset=9))
    await documents.set_position(STORY.id, place)
    assert await documents.renew(before, **renewal)
    assert not await documents.renew(before, **renewal)
    after = await documents.find(STORY.id)
    assert after is not None
    assert (after.reading_ref, after.title, after.position) == ("reading/x/2/", "Newer", moved)


async def test_a_playback_session_is_saved_again(database: Database, documents: SqlDocumentStore) -> None:
    await documents.add(STORY)
    sessions = SqlPlaybackSessionStore(database=database)
    session = PlaybackSession(id="s", user_id=ADA.id, document_id=STORY.id, plan_id="p")
    await asyncio.gather(*(sessions.save(session, now_ms=5) for _ in range(3)))
    assert await sessions.find("s") == session
    await sessions.remove_older(than_ms=6)
    assert await sessions.find("s") is None


async def test_site_features_have_defaults(database: Database) -> None:
    features = SiteFeatureService(store=SqlFeatureStore(database=database), clock=lambda: 0)
    assert (await features.current()).max_upload_mb == 200
