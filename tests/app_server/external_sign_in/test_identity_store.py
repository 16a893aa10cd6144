"""Identities and flows, on every database."""

import asyncio
from dataclasses import replace

import pytest

from app_server.accounts.model import AccessStatus, User
from app_server.accounts.ports import EmailTakenError
from app_server.accounts.sql_store import SqlAccountStore
from app_server.database.engine import Database
from app_server.external_sign_in.model import ExternalIdentity, Flow
from app_server.external_sign_in.ports import AlreadyLinkedError, IdentityTakenError, LastWayInError
from app_server.external_sign_in.sql_store import SqlIdentityStore

ADA = User(id="a" * 32, email="ada@example.org", status=AccessStatus.ACTIVE, email_verified=True)
IDENTITY = ExternalIdentity("https://id.example.org", "ada", "ada@example.org", True, "A\0da" + "a" * 300)
FLOW = Flow("oidc", "browser", None, "/app", expires_at_ms=10)


@pytest.fixture
def store(database: Database) -> SqlIdentityStore:
    return SqlIdentityStore(database=database)


async def test_a_flow_is_taken_once_and_in_time(store: SqlIdentityStore) -> None:
    await store.add_flow("h", FLOW, now_ms=0)
    taken = await asyncio.gather(*(store.take_flow("h", now_ms=9) for _ in range(4)))
    assert sorted(flow == FLOW for flow in taken) == [False, False, False, True]
    await store.add_flow("late", FLOW, now_ms=0)
    assert await store.take_flow("late", now_ms=10) is None
    await store.add_flow("old", FLOW, now_ms=0)
    await store.add_flow("new", replace(FLOW, expires_at_ms=30), now_ms=20)
    assert await store.take_flow("old", now_ms=0) is None


async def test_an_account_comes_with_its_identity_or_not_at_all(
    database: Database, store: SqlIdentityStore
) -> None:
    await store.add_account(ADA, IDENTITY, now_ms=1)
    assert await store.user_of(IDENTITY.issuer, "ada") == ADA
    (linked,) = await store.of_user(ADA.id)
    assert linked.name == "Ada" + "a" * 197
    with pytest.raises(EmailTakenError):
        await store.add_account(replace(ADA, id="b" * 32), replace(IDENTITY, subject="b"), now_ms=1)
    with pytest.raises(IdentityTakenError):
        await store.add_account(replace(ADA, id="c" * 32, email="c@example.org"), IDENTITY, now_ms=1)
    assert await SqlAccountStore(database=database).credentials("c@example.org") is None


async def test_links_come_and_go_while_one_way_in_remains(
    database: Database, store: SqlIdentityStore
) -> None:
    await store.add_account(ADA, IDENTITY, now_ms=1)
    other = replace(IDENTITY, issuer="https://git.example.org")
    for _ in range(2):
        await store.link(ADA.id, other, now_ms=2)
    with pytest.raises(AlreadyLinkedError):
        await store.link(ADA.id, replace(other, subject="another"), now_ms=2)
    grace = replace(ADA, id="b" * 32, email="grace@example.org")
    await SqlAccountStore(database=database).add(grace, password_hash="hash", created_at_ms=1)
    with pytest.raises(IdentityTakenError):
        await store.link(grace.id, IDENTITY, now_ms=2)
    first, second = await store.of_user(ADA.id)
    usable = {IDENTITY.issuer, other.issuer}
    with pytest.raises(LastWayInError):  # the other one's provider isn't configured any more
        await store.unlink(ADA.id, first.id, usable_issuers={IDENTITY.issuer})
    answers = await asyncio.gather(
        *(store.unlink(ADA.id, way.id, usable_issuers=usable) for way in (first, second)),
        return_exceptions=True,
    )
    assert sorted(type(answer).__name__ for answer in answers) == ["LastWayInError", "NoneType"]
