"""API tokens: shown once, good for what they say, until they expire or are revoked."""

from typing import Any

import pytest
from app_fixtures.browser import Answer, Browser, Instance
from sqlalchemy import text

from app_server.accounts.access import TokenScope
from app_server.database.engine import open_database, sqlite_url
from shared.configuration.app_settings import AppSettings

TOKENS = "/api/user/tokens"


async def new_token(browser: Browser, *scopes: str, **more: Any) -> dict[str, Any]:
    answer = await browser.post(TOKENS, {"name": "backup", "scopes": list(scopes), **more})
    assert answer.status == 201, answer.body
    return dict(answer.json)


async def by_token(browser: Browser, method: str, path: str, token: str, **options: Any) -> Answer:
    """As a program asks: no cookie, no Origin."""
    headers = {"Authorization": f"Bearer {token}", "Origin": ""}
    return await browser.send(method, path, headers=headers, **options)


@pytest.fixture
async def program(instance: Instance) -> Browser:
    """Knows no cookie."""
    return await instance.new_browser()


async def test_a_token_is_shown_once_and_only_its_hash_is_stored(
    reader: Browser, settings: AppSettings
) -> None:
    made = await new_token(reader, "documents:read", expiresInDays=30)
    secret = made["secret"]
    assert secret.startswith("lectern_")
    assert made["token"]["scopes"] == ["documents:read"]
    listed = await reader.get(TOKENS)
    assert listed.json["tokens"] == [made["token"]]
    assert secret not in listed.body.decode()
    assert settings.database.path
    async with open_database(sqlite_url(settings.database.path)) as database, database.read() as connection:
        rows = (await connection.execute(text("SELECT * FROM api_tokens"))).all()
    assert len(rows) == 1
    assert secret not in repr(rows)


async def test_a_token_does_what_its_scope_says_and_nothing_else(reader: Browser, program: Browser) -> None:
    document = await reader.add_document()
    read = (await new_token(reader, "documents:read"))["secret"]
    listed = await by_token(program, "GET", "/api/documents", read)
    assert [shown["id"] for shown in listed.json["documents"]] == [document]
    refused = await by_token(program, "DELETE", f"/api/documents/{document}", read)
    assert (refused.status, refused.code) == (403, "TOKEN_SCOPE_MISSING")
    write = (await new_token(reader, "documents:write"))["secret"]
    assert (await by_token(program, "DELETE", f"/api/documents/{document}", write)).status == 204


async def test_no_token_makes_another_one(reader: Browser, program: Browser) -> None:
    token = (await new_token(reader, *(scope for scope in TokenScope if scope is not TokenScope.ADMIN)))[
        "secret"
    ]
    body = {"name": "more", "scopes": ["documents:read"]}
    for method, options in (("GET", {}), ("POST", {"json": body})):
        refused = await by_token(program, method, TOKENS, token, **options)
        assert (refused.status, refused.code) == (403, "TOKEN_NOT_ACCEPTED")


async def test_a_token_counts_for_more_than_a_cookie(instance: Instance, reader: Browser) -> None:
    await reader.add_document()
    other = await instance.new_reader("other@example.org")
    token = (await new_token(other, "documents:read"))["secret"]
    headers = {"Authorization": f"Bearer {token}"}
    assert (await reader.get("/api/documents", headers=headers)).json["documents"] == []
    unknown = {"Authorization": "Bearer lectern_unknown"}
    assert (await reader.get("/api/documents", headers=unknown)).code == "TOKEN_INVALID"


async def test_what_a_proxy_sends_along_is_not_taken_for_a_token(reader: Browser) -> None:
    headers = {"Authorization": "Bearer eyJhbGciOi.of.a-proxy"}
    assert (await reader.get("/api/documents", headers=headers)).status == 200
    refused = await reader.post("/api/auth/sign-out", headers={**headers, "Origin": "https://evil.example"})
    assert refused.code == "ORIGIN_NOT_TRUSTED"


async def test_a_token_ends_when_it_expires_or_is_revoked(reader: Browser, program: Browser, clock) -> None:
    short = await new_token(reader, "documents:read", expiresInDays=1)
    lasting = await new_token(reader, "documents:read")
    clock.turn(seconds=24 * 3600 - 1)
    assert (await by_token(program, "GET", "/api/documents", short["secret"])).status == 200
    clock.turn(seconds=1)
    expired = await by_token(program, "GET", "/api/documents", short["secret"])
    assert (expired.status, expired.code) == (401, "TOKEN_INVALID")
    assert expired.headers["WWW-Authenticate"].startswith("Bearer")
    assert (await by_token(program, "GET", "/api/documents", lasting["secret"])).status == 200
    assert (await reader.send("DELETE", f"{TOKENS}/{lasting['token']['id']}")).status == 204
    assert (await by_token(program, "GET", "/api/documents", lasting["secret"])).status == 401
    again = await reader.send("DELETE", f"{TOKENS}/{lasting['token']['id']}")
    assert (again.status, again.code) == (404, "TOKEN_NOT_FOUND")


async def test_nobody_sees_or_revokes_a_token_of_somebody_else(instance: Instance, reader: Browser) -> None:
    made = await new_token(reader, "documents:read")
    other = await instance.new_reader("other@example.org")
    assert (await other.get(TOKENS)).json["tokens"] == []
    assert (await other.send("DELETE", f"{TOKENS}/{made['token']['id']}")).status == 404
    assert len((await reader.get(TOKENS)).json["tokens"]) == 1


async def test_the_last_use_is_known_to_the_minute(reader: Browser, program: Browser, clock) -> None:
    made = await new_token(reader, "documents:read")
    assert made["token"]["lastUsedAt"] is None
    seen = []
    for seconds in (0, 59, 1):
        clock.turn(seconds=seconds)
        await by_token(program, "GET", "/api/documents", made["secret"])
        seen.append((await reader.get(TOKENS)).json["tokens"][0]["lastUsedAt"])
    assert seen[0] == seen[1] != seen[2]


async def test_a_token_of_a_suspended_account_opens_nothing(
    reader: Browser, program: Browser, settings: AppSettings
) -> None:
    made = await new_token(reader, "documents:read")
    assert settings.database.path
    async with open_database(sqlite_url(settings.database.path)) as database, database.write() as connection:
        await connection.execute(text("UPDATE users SET status = 'suspended'"))
    refused = await by_token(program, "GET", "/api/documents", made["secret"])
    assert (refused.status, refused.code) == (401, "TOKEN_INVALID")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": " ", "scopes": ["playback"]}, "name"),
        ({"name": "x" * 101, "scopes": ["playback"]}, "name"),
        ({"name": "x", "scopes": []}, "scopes"),
        ({"name": "x", "scopes": ["everything"]}, "scopes.0"),
        ({"name": "x", "scopes": ["admin"]}, "scopes"),
        ({"name": "x", "scopes": ["playback"], "expiresInDays": 0}, "expiresInDays"),
        ({"name": "x", "scopes": ["playback"], "expiresInDays": 366}, "expiresInDays"),
    ],
)
async def test_what_is_wrong_with_a_wanted_token_is_named(
    reader: Browser, body: dict[str, Any], field: str
) -> None:
    answer = await reader.post(TOKENS, body)
    assert (answer.status, answer.json["errors"][0]["field"]) == (422, field)


async def test_an_account_has_at_most_50_tokens(reader: Browser) -> None:
    for _ in range(50):
        await new_token(reader, "playback")
    refused = await reader.post(TOKENS, {"name": "one more", "scopes": ["playback"]})
    assert (refused.status, refused.code) == (409, "TOKENS_TOO_MANY")
