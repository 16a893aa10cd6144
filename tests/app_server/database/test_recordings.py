"""The rows of recordings, on every database."""

from dataclasses import replace

import pytest

from app_server.accounts.model import AccessStatus, User
from app_server.accounts.sql_store import SqlAccountStore
from app_server.database.engine import Database
from app_server.library.formats import DocumentFormat
from app_server.library.model import NewDocument
from app_server.library.sql_store import SqlDocumentStore
from app_server.recordings.model import Recording, RecordingFailure, RecordingState
from app_server.recordings.sql_store import SqlRecordingStore

ADA = User(id="a" * 32, email="ada@example.org", status=AccessStatus.ACTIVE)
STORY = NewDocument(
    id="d" * 32,
    owner_id=ADA.id,
    sha256="0" * 64,
    size_bytes=5,
    file_name="a.txt",
    format=DocumentFormat.TEXT,
    title="a",
    created_at_ms=1,
)
READ_ALOUD = Recording(
    id="e" * 32,
    document_id=STORY.id,
    file_name="Erzählung 📖.m4b",
    media_type="audio/mp4",
    size_bytes=5_000_000_000,
    created_at_ms=1_800_000_000_000,
)


@pytest.fixture
async def store(database: Database) -> SqlRecordingStore:
    await SqlAccountStore(database=database).add(ADA, password_hash="hash", created_at_ms=1)
    await SqlDocumentStore(database=database).add(STORY)
    return SqlRecordingStore(database=database)


async def test_a_recording_goes_its_way(store: SqlRecordingStore) -> None:
    await store.add(READ_ALOUD)
    assert await store.find(READ_ALOUD.id) == READ_ALOUD
    await store.set_aligning(READ_ALOUD.id, "align-1")
    failure = RecordingFailure("RECORDING_UNLIKE_TEXT", "Nothing was heard.", retryable=False)
    await store.set_failed(READ_ALOUD.id, failure)
    failed = replace(READ_ALOUD, state=RecordingState.FAILED, operation_id="align-1", failure=failure)
    assert await store.find(READ_ALOUD.id) == failed
    await store.set_aligning(READ_ALOUD.id, "align-2")
    await store.set_ready(READ_ALOUD.id, "recordings/e/aligned/1/")
    ready = replace(
        READ_ALOUD,
        state=RecordingState.READY,
        operation_id="align-2",
        result_ref="recordings/e/aligned/1/",
    )
    assert await store.of_document(STORY.id) == [ready]


async def test_recordings_go_with_their_document(store: SqlRecordingStore, database: Database) -> None:
    await store.add(READ_ALOUD)
    later = replace(READ_ALOUD, id="f" * 32, created_at_ms=READ_ALOUD.created_at_ms + 1)
    await store.add(later)
    assert [one.id for one in await store.of_document(STORY.id)] == [READ_ALOUD.id, later.id]
    await store.remove(READ_ALOUD.id)
    assert await store.known_of([READ_ALOUD.id, later.id, "0" * 32]) == {later.id}
    await SqlDocumentStore(database=database).remove(STORY.id)
    assert await store.find(later.id) is None
