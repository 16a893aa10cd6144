"""The rows of reading options and of rules of pronunciation, on every database."""

import pytest

from app_server.accounts.model import AccessStatus, User
from app_server.accounts.sql_store import SqlAccountStore
from app_server.database.engine import Database
from app_server.library.formats import DocumentFormat
from app_server.library.model import NewDocument
from app_server.library.sql_store import SqlDocumentStore
from app_server.reading_options.model import ReadingOptions
from app_server.reading_options.sql_store import SqlReadingOptionsStore
from shared.pronunciation import PronunciationRule

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
RULES = (PronunciationRule("word", "Siân", "Sharn"), PronunciationRule("regexp", r"(\d)", r"\1", True))


@pytest.fixture
async def store(database: Database) -> SqlReadingOptionsStore:
    await SqlAccountStore(database=database).add(ADA, password_hash="hash", created_at_ms=1)
    await SqlDocumentStore(database=database).add(STORY)
    return SqlReadingOptionsStore(database=database)


async def test_options_are_the_documents_own(store: SqlReadingOptionsStore, database: Database) -> None:
    assert await store.of_document(STORY.id) == ReadingOptions()
    chosen = ReadingOptions(("footnote",), ("table", "code"), skip_citations=True, rules=RULES)
    await store.set_for_document(STORY.id, ReadingOptions(skip_brackets=True))
    await store.set_for_document(STORY.id, chosen)
    assert await store.of_document(STORY.id) == chosen
    await SqlDocumentStore(database=database).remove(STORY.id)
    assert await store.of_document(STORY.id) == ReadingOptions()


async def test_rules_are_kept_in_their_order(store: SqlReadingOptionsStore) -> None:
    assert await store.rules_of_user(ADA.id) == ()
    await store.set_rules_of_user(ADA.id, RULES)
    await store.set_rules_of_user(ADA.id, RULES[::-1])
    assert await store.rules_of_user(ADA.id) == RULES[::-1]
    await store.set_rules_of_user(ADA.id, ())
    assert await store.rules_of_user(ADA.id) == ()
