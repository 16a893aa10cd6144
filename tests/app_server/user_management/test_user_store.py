"""Who is found, what may be done to whom, and that an administrator is always left; on every database."""

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import insert

from app_server.accounts.model import AccessStatus, Role, SeenFrom, User, UserKind
from app_server.accounts.sql_store import SqlSessionStore, user_row
from app_server.audit.model import AuditQuery
from app_server.audit.sql_store import SqlAuditLog
from app_server.database.engine import Database
from app_server.database.schema import blobs, documents, limit_usage, users
from app_server.user_management.administrators import lock_administrators, require_other_administrator
from app_server.user_management.model import PAGE_SIZE, UserChange, UserQuery
from app_server.user_management.sql_store import SqlUserStore
from shared.errors import LecternError

NOW_MS = 1_800_000_000_000  # on 2027-01-15
ADA = User("a" * 32, "ada@example.org", AccessStatus.ACTIVE, Role.ADMIN)
EVE = User("e" * 32, "eve@example.org", AccessStatus.ACTIVE, Role.ADMIN)
BOB = User("b" * 32, "Bob_1@example.org", AccessStatus.PENDING)
SUE = User("5" * 32, "sue@example.org", AccessStatus.SUSPENDED)
GUEST = User("9" * 32, "", AccessStatus.ACTIVE, kind=UserKind.ANONYMOUS)
SEEN = SeenFrom(user_agent="", address="")


@pytest.fixture
async def store(database: Database) -> SqlUserStore:
    async with database.write() as connection:
        for age, user in enumerate((GUEST, SUE, BOB, EVE, ADA)):
            await connection.execute(insert(users).values(user_row(user, created_at_ms=age)))
    return SqlUserStore(database=database)


def ids(page) -> list[str]:
    return [managed.user.id for managed in page.users]


FOUND = [
    (UserQuery(), [ADA, EVE, BOB, SUE, GUEST]),
    (UserQuery(text="BOB_"), [BOB]),
    (UserQuery(text="example.org"), [ADA, EVE, BOB, SUE]),
    (UserQuery(text="anonymous"), []),
    (UserQuery(text=GUEST.id), [GUEST]),
    (UserQuery(kind=UserKind.ANONYMOUS), [GUEST]),
    (UserQuery(kind=UserKind.ACCOUNT, status=AccessStatus.ACTIVE), [ADA, EVE]),
    (UserQuery(status=AccessStatus.PENDING), [BOB]),
    (UserQuery(status=AccessStatus.SUSPENDED, text="ada"), []),
]


async def test_users_are_found_by_address_kind_and_status(store: SqlUserStore) -> None:
    for query, found in FOUND:
        page = await store.page(query, now_ms=NOW_MS)
        assert ids(page) == [user.id for user in found], query
        assert (page.total, page.pending) == (len(found), 1)


async def test_users_come_25_a_page_the_newest_first(store: SqlUserStore, database: Database) -> None:
    async with database.write() as connection:
        for number in range(PAGE_SIZE):
            user = User(f"{number:032x}", f"reader-{number}@example.org", AccessStatus.ACTIVE)
            await connection.execute(insert(users).values(user_row(user, created_at_ms=100 + number)))
    first, second = (
        await store.page(UserQuery(), now_ms=NOW_MS),
        await store.page(UserQuery(page=2), now_ms=NOW_MS),
    )
    assert (len(first.users), len(second.users), first.total) == (25, 5, 30)
    assert ids(first)[0] == f"{PAGE_SIZE - 1:032x}"
    assert ids(second) == [ADA.id, EVE.id, BOB.id, SUE.id, GUEST.id]


async def test_it_shows_when_a_user_was_seen_what_they_store_and_how_much_was_spoken(
    store: SqlUserStore, database: Database
) -> None:
    await SqlSessionStore(database=database).add(
        "h", user_id=ADA.id, seen_from=SEEN, now_ms=7, expires_at_ms=99
    )
    async with database.write() as connection:
        for number in range(2):
            sha256 = f"{number:064x}"
            blob = {"sha256": sha256, "size_bytes": 5_000_000_000, "created_at_ms": 0}
            await connection.execute(insert(blobs).values(blob))
            row = {
                "id": f"{number:032x}", "owner_id": ADA.id, "sha256": sha256, "file_name": "a",
                "format": "text", "state": "ready", "title": "A", "authors": [], "created_at_ms": 0,
            }  # fmt: skip
            await connection.execute(insert(documents).values(row))
        for day, amount in (("2027-01-14", 9000), ("2027-01-15", 1234)):
            usage = {
                "subject": f"user:{ADA.id}",
                "action": "tts_synthesis",
                "metric": "characters",
                "day": day,
            }
            await connection.execute(insert(limit_usage).values(**usage, amount=amount))
    ada, eve = (await store.page(UserQuery(), now_ms=NOW_MS)).users[:2]
    assert (ada.spoken_characters, eve.spoken_characters) == (1234, 0)
    assert (ada.last_seen_at_ms, ada.document_count, ada.stored_bytes) == (7, 2, 10_000_000_000)
    assert (eve.last_seen_at_ms, eve.document_count, eve.stored_bytes) == (None, 0, 0)


CHANGES = [
    (BOB, UserChange(status=AccessStatus.ACTIVE), "user.approve", {"status": ["pending", "active"]}),
    (EVE, UserChange(status=AccessStatus.SUSPENDED), "user.suspend", {"status": ["active", "suspended"]}),
    (SUE, UserChange(status=AccessStatus.ACTIVE), "user.reactivate", {"status": ["suspended", "active"]}),
    (SUE, UserChange(role=Role.ADMIN), "user.role", {"role": ["member", "admin"]}),
]


async def test_a_change_ends_the_users_sessions_and_is_noted(store: SqlUserStore, database: Database) -> None:
    sessions, log = SqlSessionStore(database=database), SqlAuditLog(database=database)
    await sessions.add(ADA.id, user_id=ADA.id, seen_from=SEEN, now_ms=0, expires_at_ms=99)
    for at_ms, (user, change, action, details) in enumerate(CHANGES):
        await sessions.add(user.id, user_id=user.id, seen_from=SEEN, now_ms=0, expires_at_ms=99)
        after = await store.change(ADA, user.id, change, now_ms=at_ms)
        assert after == await store.find(user.id)
        assert await sessions.find(user.id, now_ms=1) is None
        note = (await log.page(AuditQuery())).entries[0].note
        assert (note.action, note.target, note.details) == (action, user.email, details)
    assert await sessions.find(ADA.id, now_ms=1) is not None


async def test_a_change_that_changes_nothing_ends_no_session(store: SqlUserStore, database: Database) -> None:
    sessions = SqlSessionStore(database=database)
    await sessions.add("h", user_id=EVE.id, seen_from=SEEN, now_ms=0, expires_at_ms=99)
    await store.change(ADA, EVE.id, UserChange(role=Role.ADMIN, status=AccessStatus.ACTIVE), now_ms=5)
    assert await sessions.find("h", now_ms=1) is not None
    assert (await SqlAuditLog(database=database).page(AuditQuery())).total == 0


REFUSED = [
    (ADA, ADA, UserChange(role=Role.MEMBER), "OWN_ACCOUNT"),
    (ADA, ADA, UserChange(status=AccessStatus.SUSPENDED), "OWN_ACCOUNT"),
    (ADA, replace(BOB, id="0" * 32), UserChange(role=Role.ADMIN), "USER_NOT_FOUND"),
    (BOB, EVE, UserChange(role=Role.MEMBER), "ADMIN_REQUIRED"),
    (ADA, GUEST, UserChange(role=Role.ADMIN), "USER_CHANGE_NOT_POSSIBLE"),
    (ADA, EVE, UserChange(status=AccessStatus.PENDING), "USER_CHANGE_NOT_POSSIBLE"),
]


async def test_what_may_not_be_changed_stays(store: SqlUserStore, database: Database) -> None:
    for actor, user, change, reason in REFUSED:
        before = await store.find(user.id)
        with pytest.raises(LecternError) as caught:
            await store.change(actor, user.id, change, now_ms=5)
        assert caught.value.reason == reason
        assert await store.find(user.id) == before
    with pytest.raises(LecternError) as caught:
        await store.remove(ADA, ADA.id, now_ms=5)
    assert caught.value.reason == "OWN_ACCOUNT"
    assert (await SqlAuditLog(database=database).page(AuditQuery())).total == 0


@pytest.mark.parametrize("way", ["demote", "suspend", "remove"])
async def test_two_administrators_who_remove_each_other_leave_one(store: SqlUserStore, way: str) -> None:
    async def act(actor: User, other: User) -> None:
        if way == "remove":
            await store.remove(actor, other.id, now_ms=5)
        elif way == "demote":
            await store.change(actor, other.id, UserChange(role=Role.MEMBER), now_ms=5)
        else:
            await store.change(actor, other.id, UserChange(status=AccessStatus.SUSPENDED), now_ms=5)

    ends = await asyncio.gather(act(ADA, EVE), act(EVE, ADA), return_exceptions=True)
    refused = [end for end in ends if isinstance(end, LecternError)]
    assert [error.reason for error in refused] == ["ADMIN_REQUIRED"]
    found = [await store.find(ADA.id), await store.find(EVE.id)]
    assert len([user for user in found if user and user.is_admin]) == 1


async def test_the_last_administrator_may_not_leave(store: SqlUserStore, database: Database) -> None:
    async def leave(user: User) -> None:
        async with database.write() as connection:
            await lock_administrators(connection)
            await require_other_administrator(connection, user.id)

    await leave(ADA)
    await leave(BOB)
    await store.change(ADA, EVE.id, UserChange(status=AccessStatus.SUSPENDED), now_ms=5)
    with pytest.raises(LecternError) as caught:
        await leave(ADA)
    assert caught.value.reason == "LAST_ADMINISTRATOR"
    await leave(EVE)
