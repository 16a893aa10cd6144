"""The audit log: written with the change or not at all, found by who, what and to whom."""

import pytest

from app_server.accounts.model import AccessStatus, User
from app_server.audit.model import AuditQuery, audit_note
from app_server.audit.sql_store import PAGE_SIZE, SqlAuditLog, write_note
from app_server.database.engine import Database

ADA = User(id="a" * 32, email="ada@example.org", status=AccessStatus.ACTIVE)


async def write(database: Database, action: str, target: str, *, now_ms: int = 1, **details: object) -> None:
    async with database.write() as connection:
        await write_note(connection, audit_note(ADA, action, target, **details), now_ms=now_ms)


async def test_an_entry_says_who_did_what_to_what(database: Database) -> None:
    await write(database, "user.suspend", "bob@example.org", now_ms=7, status={"from": "active"})
    (entry,) = (await SqlAuditLog(database=database).page(AuditQuery())).entries
    assert (entry.at_ms, entry.note.actor_id, entry.note.actor_email) == (7, ADA.id, ADA.email)
    assert (entry.note.action, entry.note.target) == ("user.suspend", "bob@example.org")
    assert entry.note.details == {"status": {"from": "active"}}


async def test_a_change_that_fails_leaves_no_entry(database: Database) -> None:
    async def fail() -> None:
        async with database.write() as connection:
            await write_note(connection, audit_note(ADA, "user.suspend", "bob"), now_ms=1)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    assert (await SqlAuditLog(database=database).page(AuditQuery())).total == 0


async def test_pages_go_from_the_newest_to_the_oldest(database: Database) -> None:
    for number in range(PAGE_SIZE + 2):
        await write(database, "feature.change", f"key-{number}", now_ms=number)
    log = SqlAuditLog(database=database)
    first, second = await log.page(AuditQuery()), await log.page(AuditQuery(page=2))
    assert first.entries[0].note.target == f"key-{PAGE_SIZE + 1}"
    assert [entry.note.target for entry in second.entries] == ["key-1", "key-0"]
    assert (first.total, len(first.entries), second.total) == (PAGE_SIZE + 2, PAGE_SIZE, PAGE_SIZE + 2)
    assert (await log.page(AuditQuery(page=3))).entries == []


async def test_entries_of_one_moment_keep_the_order_of_the_changes(database: Database) -> None:
    for number in range(12):
        await write(database, "feature.change", f"key-{number}", now_ms=1)
    entries = (await SqlAuditLog(database=database).page(AuditQuery())).entries
    assert [entry.note.target for entry in entries] == [f"key-{number}" for number in reversed(range(12))]


FOUND = [
    (AuditQuery(action="user"), {"Bob_1@example.org", "carol@example.org"}),
    (AuditQuery(action="user.delete"), {"carol@example.org"}),
    (AuditQuery(action="us"), set()),
    (AuditQuery(text="bob_"), {"Bob_1@example.org"}),
    (AuditQuery(text="%"), set()),
    (AuditQuery(text="ADA@"), {"Bob_1@example.org", "carol@example.org", "home"}),
    (AuditQuery(action="provider", text="bob"), set()),
]


async def test_entries_are_found_by_action_and_by_name(database: Database) -> None:
    await write(database, "user.suspend", "Bob_1@example.org")
    await write(database, "user.delete", "carol@example.org")
    await write(database, "provider.create", "home")
    for query, found in FOUND:
        page = await SqlAuditLog(database=database).page(query)
        assert {entry.note.target for entry in page.entries} == found, query
