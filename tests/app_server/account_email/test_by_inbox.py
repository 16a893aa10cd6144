"""Confirming an address, a forgotten password, another address: through the browser API and real messages."""

import asyncio
import json
from collections.abc import Callable

import pytest
from app_fixtures.browser import PASSWORD, Answer, Browser, Instance
from sqlalchemy import select

from app_server.database.engine import open_database, sqlite_url
from app_server.database.schema import email_outbox
from servers.email_service import API_KEY, EmailService, Received
from shared.configuration.app_settings import AppSettings, read_app_settings

NEW = "another good password"
CONFIRM, KNOWN, RESET = "Confirm your e-mail address", "You already have an account", "Choose a new password"
ADMIN, FIRST = "admin@example.org", "a first password of its own"


@pytest.fixture
def settings(environment: dict[str, str], email_service: EmailService) -> AppSettings:
    seed = {
        "version": 1,
        "accountEmail": {
            "enabled": True,
            "senderName": "Lectern",
            "senderEmail": "lectern@example.org",
            "apiKey": API_KEY,
        },
    }
    return read_app_settings(
        {
            **environment,
            "ACCOUNT_EMAIL_API_URL": email_service.url,
            "RUNTIME_SEED_JSON": json.dumps(seed),
            "BOOTSTRAP_ADMIN_EMAIL": ADMIN,
            "BOOTSTRAP_ADMIN_PASSWORD": FIRST,
        }
    )


@pytest.fixture
def inbox(email_service: EmailService) -> Callable[..., "asyncio.Future[Received]"]:
    async def wait(recipient: str, subject: str, count: int = 1) -> Received:
        async with asyncio.timeout(20):
            while True:
                found = [message for message in email_service.to(recipient) if message.subject == subject]
                if len(found) >= count:
                    return found[count - 1]
                await asyncio.sleep(0.01)

    return wait


async def confirm(browser: Browser, token: str) -> Answer:
    return await browser.post("/api/auth/confirm-email", {"token": token})


async def reset(browser: Browser, token: str, password: str = NEW) -> Answer:
    return await browser.post("/api/auth/reset-password", {"token": token, "newPassword": password})


async def forgot(browser: Browser, email: str) -> Answer:
    return await browser.post("/api/auth/forgot-password", {"email": email})


async def verified(instance: Instance, inbox, email: str = "ada@example.org") -> Browser:
    browser = await instance.new_browser()
    await browser.enter("sign-up", email)
    assert (await confirm(browser, (await inbox(email, CONFIRM)).token)).status == 200
    assert (await browser.enter("sign-in", email)).status == 200
    return browser


async def user(browser: Browser) -> dict[str, object] | None:
    shown: dict[str, object] | None = (await browser.get("/api/auth/session")).json["user"]
    return shown


async def test_an_address_is_verified_before_sign_in(browser: Browser, inbox) -> None:
    answer = await browser.enter("sign-up", "ada@example.org")
    assert (answer.status, answer.body) == (202, b"")
    assert await user(browser) is None
    refused = await browser.enter("sign-in", "ada@example.org")
    assert (refused.status, refused.code) == (403, "EMAIL_NOT_VERIFIED")
    message = await inbox("ada@example.org", CONFIRM)
    assert message.link.startswith("http://localhost:3003/verify-email#")
    confirmed = await confirm(browser, message.token)
    assert confirmed.json == {"purpose": "verify", "email": "ada@example.org"}
    assert (await browser.enter("sign-in", "ada@example.org")).status == 200


async def test_signing_in_before_that_sends_another_link(browser: Browser, inbox) -> None:
    await browser.enter("sign-up", "ada@example.org")
    assert (await browser.enter("sign-in", "ada@example.org", "not the password")).code == "CREDENTIALS_WRONG"
    await browser.enter("sign-in", "ada@example.org")
    first = await inbox("ada@example.org", CONFIRM)
    second = await inbox("ada@example.org", CONFIRM, 2)
    assert first.token != second.token
    assert (await confirm(browser, second.token)).status == 200


async def test_the_first_administrator_confirms_the_address_before_sign_in(browser: Browser, inbox) -> None:
    refused = await browser.enter("sign-in", ADMIN, FIRST)
    assert refused.code == "EMAIL_NOT_VERIFIED"
    assert (await confirm(browser, (await inbox(ADMIN, CONFIRM)).token)).status == 200
    assert (await browser.enter("sign-in", ADMIN, FIRST)).status == 200


async def test_a_link_works_once_and_for_an_hour(browser: Browser, inbox, clock) -> None:
    await browser.enter("sign-up", "ada@example.org")
    token = (await inbox("ada@example.org", CONFIRM)).token
    answers = await asyncio.gather(*(confirm(browser, token) for _ in range(4)))
    assert sorted(answer.status for answer in answers) == [200, 410, 410, 410]
    await browser.enter("sign-up", "eve@example.org")
    late = (await inbox("eve@example.org", CONFIRM)).token
    clock.turn(seconds=3600)
    refused = await confirm(browser, late)
    assert (refused.status, refused.code) == (410, "LINK_EXPIRED")
    assert (await confirm(browser, "no such token")).code == "LINK_EXPIRED"
    assert (await confirm(browser, "\0")).code == "LINK_EXPIRED"


async def test_signing_up_does_not_tell_whether_an_address_has_an_account(
    instance: Instance, browser: Browser, inbox
) -> None:
    await verified(instance, inbox)
    known = await browser.enter("sign-up", "ada@example.org", NEW)
    unknown = await browser.enter("sign-up", "eve@example.org", NEW)
    assert (known.status, known.body) == (unknown.status, unknown.body) == (202, b"")
    assert await user(browser) is None
    assert (await inbox("ada@example.org", KNOWN)).link.startswith("http://localhost:3003/reset-password#")
    assert (await browser.enter("sign-in", "ada@example.org", NEW)).status == 401, "the password stays"


async def test_forgetting_a_password_does_not_tell_either(
    instance: Instance, browser: Browser, inbox, email_service: EmailService
) -> None:
    await verified(instance, inbox)
    known, unknown = await forgot(browser, "ada@example.org"), await forgot(browser, "eve@example.org")
    assert (known.status, known.body) == (unknown.status, unknown.body) == (202, b"")
    await inbox("ada@example.org", RESET)
    assert email_service.to("eve@example.org") == []
    assert (await forgot(browser, "no address")).status == 422


async def test_a_reset_ends_all_sessions_and_every_other_link(
    instance: Instance, browser: Browser, inbox
) -> None:
    elsewhere = await verified(instance, inbox)
    await forgot(browser, "ada@example.org")
    await forgot(browser, "ada@example.org")
    token = (await inbox("ada@example.org", RESET)).token
    other = (await inbox("ada@example.org", RESET, 2)).token
    assert (await reset(browser, token, "short")).status == 422
    assert (await confirm(browser, token)).code == "LINK_EXPIRED", "a link is good for its purpose only"
    assert (await reset(browser, token)).status == 204
    assert await user(elsewhere) is None
    assert (await reset(browser, token)).code == "LINK_EXPIRED"
    assert (await reset(browser, other)).code == "LINK_EXPIRED"
    assert (await browser.enter("sign-in", "ada@example.org", PASSWORD)).status == 401
    assert (await browser.enter("sign-in", "ada@example.org", NEW)).status == 200


async def test_a_changed_password_leaves_no_link_good(instance: Instance, inbox) -> None:
    browser = await verified(instance, inbox)
    await forgot(browser, "ada@example.org")
    token = (await inbox("ada@example.org", RESET)).token
    await browser.post("/api/auth/change-password", {"currentPassword": PASSWORD, "newPassword": NEW})
    assert (await reset(browser, token, "a third password")).code == "LINK_EXPIRED"


async def test_who_resets_has_shown_whose_inbox_it_is(browser: Browser, inbox) -> None:
    """Somebody else signed up with Ada's address before her: her reset makes the account hers alone."""
    await browser.enter("sign-up", "ada@example.org", "a password of the stranger")
    await browser.enter("sign-up", "ada@example.org")
    assert (await reset(browser, (await inbox("ada@example.org", KNOWN)).token)).status == 204
    assert (await browser.enter("sign-in", "ada@example.org", "a password of the stranger")).status == 401
    assert (await browser.enter("sign-in", "ada@example.org", NEW)).status == 200


async def test_an_address_is_changed_when_the_new_inbox_confirms_it(instance: Instance, inbox) -> None:
    browser = await verified(instance, inbox)
    body = {"newEmail": "Ada@New.example.org", "currentPassword": PASSWORD}
    answer = await browser.post("/api/user/email", body)
    assert answer.json == {"state": "waiting"}
    assert (await user(browser) or {})["email"] == "ada@example.org"
    message = await inbox("ada@new.example.org", "Confirm your new e-mail address")
    confirmed = await confirm(browser, message.token)
    assert confirmed.json == {"purpose": "change", "email": "ada@new.example.org"}
    assert (await user(browser) or {})["email"] == "ada@new.example.org"
    told = await inbox("ada@example.org", "Your e-mail address was changed")
    assert "ada@new.example.org" in told.body["text"]
    assert (await browser.enter("sign-in", "ada@example.org")).status == 401
    assert (await browser.enter("sign-in", "ada@new.example.org")).status == 200


async def test_a_deleted_account_leaves_no_message_in_the_queue(
    instance: Instance, inbox, settings: AppSettings
) -> None:
    ada, _ = await verified(instance, inbox), await verified(instance, inbox, "eve@example.org")
    body = {"currentPassword": PASSWORD}
    assert (await ada.send("DELETE", "/api/account", json=body)).status == 204
    assert await recipients(settings) == {"eve@example.org"}


async def test_an_account_that_an_administrator_deletes_leaves_none_either(
    instance: Instance, inbox, settings: AppSettings
) -> None:
    await verified(instance, inbox)
    admin = await instance.new_browser()
    await admin.enter("sign-in", ADMIN, FIRST)
    await confirm(admin, (await inbox(ADMIN, CONFIRM)).token)
    assert (await admin.enter("sign-in", ADMIN, FIRST)).status == 200
    change = {"currentPassword": FIRST, "newPassword": NEW}
    assert (await admin.post("/api/auth/change-password", change)).status == 200
    (ada,) = (await admin.get("/api/admin/users?search=ada")).json["users"]
    assert await recipients(settings) == {"ada@example.org", ADMIN}
    assert (await admin.send("DELETE", f"/api/admin/users/{ada['id']}")).status == 204
    assert await recipients(settings) == {ADMIN}


async def recipients(settings: AppSettings) -> set[str]:
    assert settings.database.path
    async with open_database(sqlite_url(settings.database.path)) as database, database.read() as connection:
        return set(await connection.scalars(select(email_outbox.c.recipient)))


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"newEmail": "nothing", "currentPassword": PASSWORD}, "newEmail"),
        ({"newEmail": "ada@example.org", "currentPassword": PASSWORD}, "newEmail"),
        ({"newEmail": "new@example.org", "currentPassword": "wrong"}, "currentPassword"),
    ],
)
async def test_a_change_of_address_that_is_none(
    instance: Instance, inbox, body: dict[str, str], field: str
) -> None:
    browser = await verified(instance, inbox)
    answer = await browser.post("/api/user/email", body)
    assert (answer.status, [error["field"] for error in answer.json["errors"]]) == (422, [field])


async def test_a_taken_address_is_told_to_its_inbox_only(instance: Instance, inbox) -> None:
    ada, eve = await verified(instance, inbox), await verified(instance, inbox, "eve@example.org")
    body = {"newEmail": "eve@example.org", "currentPassword": PASSWORD}
    assert (await ada.post("/api/user/email", body)).json == {"state": "waiting"}
    await inbox("eve@example.org", "This address has an account already")
    assert (await user(eve) or {})["email"] == "eve@example.org"


async def test_one_inbox_gets_six_messages_an_hour_whoever_asks(
    browser: Browser, email_service: EmailService, clock, inbox
) -> None:
    await browser.enter("sign-up", "ada@example.org")
    for number in range(2, 9):
        if number == 6:
            clock.turn(seconds=61)  # past the limit of signing in, which is per minute
        assert (await browser.enter("sign-in", "ada@example.org")).code == "EMAIL_NOT_VERIFIED"
    await inbox("ada@example.org", CONFIRM, 6)
    await browser.enter("sign-up", "last@example.org")
    await inbox("last@example.org", CONFIRM)  # what was asked for later has been sent
    assert len(email_service.to("ada@example.org")) == 6


async def test_resets_are_counted_per_address_they_come_from(browser: Browser) -> None:
    for number in range(5):
        assert (await forgot(browser, f"{number}@example.org")).status == 202
    refused = await forgot(browser, "another@example.org")
    assert (refused.status, refused.code) == (429, "TOO_MANY_ATTEMPTS")
