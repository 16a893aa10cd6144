"""API tokens as rows, on every database."""

import asyncio
from dataclasses import replace

from app_server.accounts.access import TokenScope
from app_server.accounts.model import AccessStatus, User
from app_server.accounts.sql_store import SqlAccountStore
from app_server.api_tokens.model import ApiToken
from app_server.api_tokens.sql_store import SqlApiTokenStore
from app_server.database.engine import Database

ADA = User(id="a" * 32, email="ada@example.org", status=AccessStatus.ACTIVE)
TOKEN = ApiToken(
    id="t" * 32,
    user_id=ADA.id,
    name="backup",
    scopes=(TokenScope.DOCUMENTS_READ, TokenScope.PLAYBACK),
    created_at_ms=1,
    expires_at_ms=10,
)


async def test_a_token_is_found_by_its_hash_until_it_expires(database: Database) -> None:
    await SqlAccountStore(database=database).add(ADA, password_hash="hash", created_at_ms=1)
    store = SqlApiTokenStore(database=database)
    assert await store.add(TOKEN, token_hash="h", at_most=5)
    assert await store.add(replace(TOKEN, id="u" * 32, expires_at_ms=None), token_hash="i", at_most=5)
    assert await store.find("h", now_ms=9) == (TOKEN, ADA)
    assert await store.find("h", now_ms=10) is None
    assert await store.find("another", now_ms=9) is None
    await store.note_use(TOKEN.id, now_ms=7)
    assert {token.last_used_at_ms for token in await store.of_user(ADA.id)} == {7, None}
    await store.remove_expired(now_ms=10)
    assert [token.id for token in await store.of_user(ADA.id)] == ["u" * 32]
    assert not await store.remove("b" * 32, "u" * 32)
    assert await store.remove(ADA.id, "u" * 32)


async def test_the_most_tokens_of_a_user_hold_for_tokens_made_at_once(database: Database) -> None:
    await SqlAccountStore(database=database).add(ADA, password_hash="hash", created_at_ms=1)
    store = SqlApiTokenStore(database=database)
    added = await asyncio.gather(
        *(
            store.add(replace(TOKEN, id=str(number)), token_hash=f"h{number}", at_most=3)
            for number in range(6)
        )
    )
    assert sorted(added) == [False] * 3 + [True] * 3
