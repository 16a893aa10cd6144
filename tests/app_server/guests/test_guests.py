"""Listening without an account, and taking everything along into one."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from hashlib import sha256
from typing import Any

import pytest
from app_fixtures.browser import Answer, Browser, Instance
from app_fixtures.sign_in import come_in
from app_fixtures.users import change_user

from app_server.library.model import document_key
from servers.identity_provider.process import IdentityProviderServer
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.objects.ports import ObjectStore

SESSIONS = "/api/tts/playback/sessions"
InstancesWith = Callable[[AppSettings], AbstractAsyncContextManager[Instance]]


@pytest.fixture
def settings(environment: dict[str, str]) -> AppSettings:
    return read_app_settings({**environment, "USE_ANONYMOUS_AUTH_SESSIONS": "true"})


@pytest.fixture
async def guest(instance: Instance) -> Browser:
    browser = await instance.new_browser()
    assert (await browser.post("/api/auth/guest")).status == 201
    return browser


async def user(browser: Browser) -> Any:
    return (await browser.get("/api/auth/session")).json["user"]


async def titles(browser: Browser) -> list[str]:
    return [document["title"] for document in (await browser.get("/api/documents")).json["documents"]]


async def go_to(browser: Browser, document_id: str, fraction: float) -> None:
    position = {"segmentOrdinal": 0, "blockId": "0-0", "offset": 0, "section": 0, "fraction": fraction}
    assert (await browser.send("PUT", f"/api/documents/{document_id}/position", json=position)).status == 204


async def place_in(browser: Browser, document_id: str) -> float:
    answer = await browser.get(f"/api/documents/{document_id}")
    return float(answer.json["document"]["position"]["fraction"])


async def listen(browser: Browser, document_id: str) -> Answer:
    body = {"documentId": document_id, "start": {"ordinal": 0}, "settings": {"providerRef": "builtin"}}
    return await browser.post(SESSIONS, body)


async def test_a_guest_has_a_library_and_listens(guest: Browser) -> None:
    shown = await user(guest)
    assert (shown["kind"], shown["email"], shown["isAdmin"]) == ("anonymous", "", False)
    document = await guest.add_document()
    assert (await listen(guest, document)).status == 201
    await go_to(guest, document, 0.5)
    assert await place_in(guest, document) == 0.5


async def test_guests_see_nothing_of_each_other(instance: Instance, guest: Browser) -> None:
    document = await guest.add_document()
    other = await instance.new_browser()
    await other.post("/api/auth/guest")
    assert (await user(other))["id"] != (await user(guest))["id"]
    assert (await other.get(f"/api/documents/{document}")).status == 404


async def test_asking_again_gives_the_same_guest_and_no_account_is_lost(
    instance: Instance, guest: Browser
) -> None:
    first = await user(guest)
    assert (await guest.post("/api/auth/guest")).json["user"] == first
    reader = await instance.new_reader("ada@example.org")
    assert (await reader.post("/api/auth/guest")).json["user"]["email"] == "ada@example.org"


async def test_what_belongs_to_an_account_is_not_a_guests(guest: Browser) -> None:
    passwords = {"currentPassword": "", "newPassword": "a long enough one"}
    for answer in (
        await guest.post("/api/auth/change-password", passwords),
        await guest.get("/api/user/identities"),
    ):
        assert (answer.status, answer.code) == (403, "ACCOUNT_NEEDED")


async def test_guests_are_made_five_times_an_hour(instance: Instance, clock: Any) -> None:
    async def next_guest() -> Answer:
        return await (await instance.new_browser()).post("/api/auth/guest")

    assert [(await next_guest()).status for _ in range(5)] == [201] * 5
    refused = await next_guest()
    assert (refused.status, refused.code) == (429, "TOO_MANY_ATTEMPTS")
    assert int(refused.headers["Retry-After"]) == 3600
    clock.turn(seconds=3600)
    assert (await next_guest()).status == 201


async def test_pages_for_getting_an_account_are_open_to_a_guest(instance: Instance, guest: Browser) -> None:
    assert (await guest.get("/signup")).status == (await guest.get("/signin")).status == 200
    assert (await guest.get("/app")).status == 200


async def test_an_account_takes_over_what_its_owner_had_as_a_guest(guest: Browser) -> None:
    document = await guest.add_document()
    await go_to(guest, document, 0.5)
    session = (await listen(guest, document)).json["sessionId"]
    before = await user(guest)
    assert (await guest.enter("sign-up", "ada@example.org")).status == 201
    after = await user(guest)
    assert (after["kind"], after["email"]) == ("account", "ada@example.org")
    assert after["id"] != before["id"]
    assert await place_in(guest, document) == 0.5
    assert (await guest.post(f"{SESSIONS}/{session}/audio-url", {})).status == 200


async def test_of_a_document_that_both_have_one_stays_with_the_place_read_last(
    instance: Instance, clock: Any
) -> None:
    owner = await instance.new_reader("ada@example.org")
    old, new = (
        await owner.add_document(b"<p>One.</p>", "one.html"),
        await owner.add_document(b"<p>Two.</p>", "two.html"),
    )
    await go_to(owner, old, 0.1)
    guest = await instance.new_browser()
    await guest.post("/api/auth/guest")
    same_old, same_new = (
        await guest.add_document(b"<p>One.</p>", "1.html"),
        await guest.add_document(b"<p>Two.</p>", "2.html"),
    )
    third = await guest.add_document(b"<p>Three.</p>", "three.html")
    clock.turn(seconds=1)
    await go_to(guest, same_old, 0.6)
    await go_to(guest, same_new, 0.3)
    session = (await listen(guest, same_old)).json["sessionId"]
    clock.turn(seconds=1)
    await go_to(owner, new, 0.9)
    await guest.enter("sign-in", "ada@example.org")
    kept = {document["id"] for document in (await guest.get("/api/documents")).json["documents"]}
    assert kept == {old, new, third}
    assert (await place_in(guest, old), await place_in(guest, new)) == (0.6, 0.9)
    assert (await guest.post(f"{SESSIONS}/{session}/audio-url", {})).status == 200


async def test_a_wrong_password_takes_nothing_over(instance: Instance, guest: Browser) -> None:
    owner = await instance.new_reader("ada@example.org")
    await guest.add_document()
    assert (await guest.enter("sign-in", "ada@example.org", "wrong wrong")).status == 401
    assert await titles(owner) == []
    assert len(await titles(guest)) == 1


async def test_a_provider_brings_them_over_too(
    environment: dict[str, str],
    identity_provider: IdentityProviderServer,
    new_instance_with: InstancesWith,
) -> None:
    variables = {**environment, **identity_provider.githost_variables, "USE_ANONYMOUS_AUTH_SESSIONS": "true"}
    identity_provider.be(
        {"sub": 1, "login": "ada", "name": "Ada", "email": "a@example.org", "email_verified": True}
    )
    async with new_instance_with(read_app_settings(variables)) as instance:
        browser = await instance.new_browser()
        await browser.post("/api/auth/guest")
        document = await browser.add_document()
        await come_in(browser, "githost")
        assert (await user(browser))["email"] == "a@example.org"
        assert (await browser.get(f"/api/documents/{document}")).status == 200


async def test_an_account_that_waits_for_approval_keeps_them(
    environment: dict[str, str], new_instance_with: InstancesWith
) -> None:
    settings = read_app_settings(
        {
            **environment,
            "USE_ANONYMOUS_AUTH_SESSIONS": "true",
            "RUNTIME_SEED_JSON": '{"version": 1, "runtimeConfig": {"signupPolicy": "approval"}}',
        }
    )
    async with new_instance_with(settings) as instance:
        browser = await instance.new_browser()
        await browser.post("/api/auth/guest")
        document = await browser.add_document()
        answer = await browser.enter("sign-up", "ada@example.org")
        assert (answer.status, answer.code) == (403, "ACCOUNT_PENDING")
        assert await user(browser) is None
        await change_user(settings, "ada@example.org", status="active")
        await browser.enter("sign-in", "ada@example.org")
        assert (await browser.get(f"/api/documents/{document}")).status == 200


async def test_guests_of_before_are_let_in_no_more_when_the_variable_is_off(
    environment: dict[str, str], settings: AppSettings, new_instance_with: InstancesWith
) -> None:
    async with new_instance_with(settings) as instance:
        browser = await instance.new_browser()
        answer = await browser.post("/api/auth/guest")
        cookies = {cookie.key: cookie.value for cookie in browser.client.session.cookie_jar}
        assert answer.status == 201
        assert (await browser.get("/api/documents")).status == 200
    async with new_instance_with(read_app_settings(environment)) as instance:
        browser = await instance.new_browser()
        assert (await browser.get("/api/documents", cookies=cookies)).status == 401
        refused = await browser.post("/api/auth/guest")
        assert (refused.status, refused.code) == (403, "GUESTS_DISABLED")


async def test_guests_who_are_gone_are_removed_with_what_only_they_had(
    environment: dict[str, str], new_instance_with: InstancesWith, objects: ObjectStore, clock: Any
) -> None:
    secret = "a secret of the scheduler's own"
    variables = {**environment, "USE_ANONYMOUS_AUTH_SESSIONS": "true", "CRON_SECRET": secret}
    async with new_instance_with(read_app_settings(variables)) as instance:
        reader = await instance.new_reader("ada@example.org")
        await reader.add_document(b"<p>Shared.</p>", "shared.html")
        left, stays = await instance.new_browser(), await instance.new_browser()
        for browser in (left, stays):
            await browser.post("/api/auth/guest")
        await left.add_document(b"<p>Only here.</p>", "only.html")
        await left.add_document(b"<p>Shared.</p>", "shared.html")
        await stays.add_document(b"<p>Still read.</p>", "still.html")
        assert len([found async for found in objects.list("documents/")]) == 3
        await left.post("/api/auth/sign-out")
        clock.turn(seconds=2 * 3600)
        async with asyncio.timeout(30):  # the scheduler of its own may be at it as well
            while len(kept := [found.key async for found in objects.list("documents/")]) == 3:
                headers = {"Authorization": f"Bearer {secret}"}
                assert (await reader.get("/api/admin/tasks/tick", headers=headers)).status == 200
    assert set(kept) == {
        document_key(sha256(body).hexdigest()) for body in (b"<p>Shared.</p>", b"<p>Still read.</p>")
    }
