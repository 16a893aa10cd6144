import asyncio

import pytest
from app_fixtures.browser import PASSWORD, Browser, Instance
from argon2 import PasswordHasher, extract_parameters
from sqlalchemy import text

from app_server.database.engine import open_database, sqlite_url
from shared.configuration.app_settings import AppSettings


async def test_signing_up_signs_in(browser: Browser) -> None:
    answer = await browser.enter("sign-up", "Ada@Example.org")
    assert answer.status == 201
    assert answer.json["user"]["email"] == "ada@example.org"
    session = await browser.get("/api/auth/session")
    assert session.json["user"] == answer.json["user"]
    assert session.json["features"]["maxUploadMb"] == 200
    assert ".epub" in session.json["features"]["formats"]


async def test_the_session_cookie_is_kept_from_scripts_and_other_sites(browser: Browser) -> None:
    cookie = (await browser.enter("sign-up", "ada@example.org")).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Max-Age=604800" in cookie


async def test_only_a_hash_of_the_session_id_is_stored(browser: Browser, settings: AppSettings) -> None:
    answer = await browser.enter("sign-up", "ada@example.org")
    token = answer.headers["Set-Cookie"].partition(";")[0].partition("=")[2]
    assert settings.database.path
    async with open_database(sqlite_url(settings.database.path)) as database, database.read() as connection:
        stored = (await connection.execute(text("SELECT id_hash FROM sessions"))).scalars().all()
    assert len(stored) == 1
    assert token not in stored[0]
    assert b"correct horse" not in settings.database.path.read_bytes()


async def test_signing_out_ends_the_session_for_the_cookie_too(browser: Browser) -> None:
    await browser.enter("sign-up", "ada@example.org")
    cookies = {cookie.key: cookie.value for cookie in browser.client.session.cookie_jar}
    assert (await browser.post("/api/auth/sign-out")).status == 204
    assert (await browser.get("/api/auth/session")).json["user"] is None
    assert (await browser.get("/api/documents", cookies=cookies)).status == 401


async def test_signing_in_again_gives_another_session_id(browser: Browser) -> None:
    first = (await browser.enter("sign-up", "ada@example.org")).headers["Set-Cookie"]
    second = (await browser.enter("sign-in", " ADA@example.org ")).headers["Set-Cookie"]
    assert first.partition(";")[0] != second.partition(";")[0]


async def test_a_wrong_password_and_an_unknown_address_get_the_same_answer(browser: Browser) -> None:
    await browser.enter("sign-up", "ada@example.org")
    wrong = await browser.enter("sign-in", "ada@example.org", "not the password")
    unknown = await browser.enter("sign-in", "eve@example.org", "not the password")
    assert wrong.status == unknown.status == 401
    assert {**wrong.json, "request_id": ""} == {**unknown.json, "request_id": ""}


async def test_an_unknown_address_takes_as_long_as_a_wrong_password(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What takes the time is the same: one verification, with the same parameters."""
    await browser.enter("sign-up", "ada@example.org")
    await browser.enter("sign-in", "nobody@example.org")  # the first one prepares what is compared
    hashes: list[str] = []
    verify = PasswordHasher.verify

    def noting(hasher: PasswordHasher, password_hash: str, password: str) -> bool:
        hashes.append(password_hash)
        return bool(verify(hasher, password_hash, password))

    monkeypatch.setattr(PasswordHasher, "verify", noting)
    for email in ("ada@example.org", "eve@example.org"):
        assert (await browser.enter("sign-in", email, "not the password")).status == 401
    known, unknown = hashes
    assert known != unknown
    assert extract_parameters(known) == extract_parameters(unknown)


async def test_an_address_can_have_one_account(browser: Browser) -> None:
    answers = await asyncio.gather(*(browser.enter("sign-up", "ada@example.org") for _ in range(3)))
    assert sorted(answer.status for answer in answers) == [201, 409, 409]
    assert {answer.code for answer in answers if answer.status == 409} == {"EMAIL_TAKEN"}


async def test_bad_fields_are_named_one_by_one(browser: Browser) -> None:
    answer = await browser.enter("sign-up", "not an address", "short")
    assert answer.status == 422
    assert answer.code == "FIELDS_INVALID"
    assert {error["field"] for error in answer.json["errors"]} == {"email", "password"}


async def test_a_password_has_8_to_256_characters(browser: Browser) -> None:
    assert (await browser.enter("sign-up", "a@example.org", "1234567")).status == 422
    assert (await browser.enter("sign-up", "a@example.org", "x" * 257)).status == 422
    assert (await browser.enter("sign-up", "a@example.org", "12345678")).status == 201
    assert (await browser.enter("sign-up", "b@example.org", "é" * 256)).status == 201


async def test_a_sixth_try_within_a_minute_has_to_wait(browser: Browser, clock) -> None:
    await browser.enter("sign-up", "ada@example.org")
    for _ in range(5):
        assert (await browser.enter("sign-in", "ada@example.org", "wrong wrong")).status == 401
    refused = await browser.enter("sign-in", "ada@example.org", PASSWORD)
    assert refused.status == 429
    assert refused.headers["Retry-After"] == "60"
    assert (await browser.enter("sign-in", "eve@example.org", "wrong wrong")).status == 401
    clock.turn(seconds=60)
    assert (await browser.enter("sign-in", "ada@example.org", PASSWORD)).status == 200


async def test_no_more_than_20_tries_an_hour(browser: Browser, clock) -> None:
    for _ in range(20):
        assert (await browser.enter("sign-in", "ada@example.org", "wrong wrong")).status == 401
        clock.turn(seconds=20)
    assert (await browser.enter("sign-in", "ada@example.org", "wrong wrong")).status == 429


async def test_tries_at_the_same_moment_are_all_counted(browser: Browser) -> None:
    tries = (browser.enter("sign-in", "ada@example.org", "wrong wrong") for _ in range(9))
    answers = await asyncio.gather(*tries)
    assert sorted(answer.status for answer in answers) == [401] * 5 + [429] * 4


async def test_a_household_can_mistype_but_not_make_a_sixth_account_within_an_hour(
    browser: Browser, clock
) -> None:
    for number in range(5):
        for _ in range(3):
            assert (await browser.enter("sign-up", f"{number}@example.org", "short")).status == 422
        assert (await browser.enter("sign-up", f"{number}@example.org")).status == 201
    assert (await browser.enter("sign-up", "6@example.org")).status == 429
    clock.turn(seconds=3600)
    assert (await browser.enter("sign-up", "6@example.org")).status == 201


async def test_a_session_in_use_is_renewed_and_one_left_alone_ends(instance: Instance, clock) -> None:
    browser = await instance.new_reader("ada@example.org")
    for _ in range(3):
        clock.turn(seconds=6 * 24 * 3600)
        answer = await browser.get("/api/documents")
        assert answer.status == 200
        assert "Set-Cookie" in answer.headers
    clock.turn(seconds=7 * 24 * 3600)
    assert (await browser.get("/api/documents")).status == 401


async def test_state_changing_requests_need_a_trusted_origin(reader: Browser) -> None:
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": ""}):
        answer = await reader.post("/api/auth/sign-out", headers=headers)
        assert (answer.status, answer.code) == (403, "ORIGIN_NOT_TRUSTED")
    referred = {"Origin": "", "Referer": "http://localhost:3003/app"}
    assert (await reader.post("/api/auth/sign-out", headers=referred)).status == 204


async def test_rubbish_is_answered_with_a_problem(browser: Browser) -> None:
    path, kind = "/api/auth/sign-in", {"Content-Type": "application/json"}
    for body in (b"", b"{", b"[]", b'{"email": 1, "password": true}', b'{"email":"\\ud800","password":"x"}'):
        answer = await browser.send("POST", path, data=body, headers=kind)
        assert answer.status in {400, 422}, body
        assert answer.json["request_id"]
    assert (await browser.send("POST", path, data=b"x" * 300_000, headers=kind)).status == 413
    assert (await browser.send("POST", path, data=b"a=b")).status == 415
    nul = {"email": "a\0@example.org", "password": "12345678"}
    assert (await browser.post("/api/auth/sign-up", nul)).status == 422
