"""Providers and guests where account e-mail is on: an address is verified before it opens anything."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from app_fixtures.browser import Browser, Instance
from app_fixtures.sign_in import come_in, email_of, failure

from servers.email_service import API_KEY, EmailService, running_email_service
from servers.identity_provider.process import ADA, IdentityProviderServer
from shared.configuration.app_settings import AppSettings, read_app_settings


@pytest.fixture
def email_service() -> Iterator[EmailService]:
    with running_email_service() as service:
        yield service


@pytest.fixture
def settings(
    environment: dict[str, str], email_service: EmailService, identity_provider: IdentityProviderServer
) -> AppSettings:
    sender = {"enabled": True, "senderName": "L", "senderEmail": "l@example.org", "apiKey": API_KEY}
    return read_app_settings(
        {
            **environment,
            **identity_provider.oidc_variables,
            "USE_ANONYMOUS_AUTH_SESSIONS": "true",
            "ACCOUNT_EMAIL_API_URL": email_service.url,
            "RUNTIME_SEED_JSON": json.dumps({"version": 1, "accountEmail": sender}),
        }
    )


async def confirm(browser: Browser, email_service: EmailService, email: str) -> None:
    """Follows the link in the first message to an address."""
    async with asyncio.timeout(20):
        while not email_service.to(email):
            await asyncio.sleep(0.01)
    token = email_service.to(email)[0].token
    assert (await browser.post("/api/auth/confirm-email", {"token": token})).status == 200


async def test_an_address_that_the_provider_does_not_vouch_for_is_verified_first(
    instance: Instance, identity_provider: IdentityProviderServer, email_service: EmailService
) -> None:
    identity_provider.be({**ADA, "email_verified": False})
    browser = await instance.new_browser()
    assert failure(await come_in(browser)) == "EMAIL_NOT_VERIFIED"
    assert await email_of(browser) is None
    await confirm(browser, email_service, "ada@example.org")
    assert (await come_in(browser)).headers["Location"] == "/app"


async def test_an_address_that_the_provider_vouches_for_needs_no_message(
    browser: Browser, email_service: EmailService
) -> None:
    assert (await come_in(browser)).headers["Location"] == "/app"
    assert email_service.requests == 0


async def test_an_account_that_was_verified_by_mail_is_linked_by_itself(
    instance: Instance, email_service: EmailService
) -> None:
    owner, elsewhere = await instance.new_browser(), await instance.new_browser()
    await owner.enter("sign-up", "ada@example.org")
    assert failure(await come_in(elsewhere)) == "LINK_NEEDS_PASSWORD"
    await confirm(owner, email_service, "ada@example.org")
    await owner.enter("sign-in", "ada@example.org")
    await come_in(elsewhere)
    assert await email_of(owner) == await email_of(elsewhere) == "ada@example.org"


async def test_a_guest_goes_on_until_the_new_account_is_entered(
    browser: Browser, email_service: EmailService
) -> None:
    """Whether or not the address had an account: nobody can tell from what becomes of the guest."""
    await browser.post("/api/auth/guest")
    document = await browser.add_document()

    async def kind() -> Any:
        return (await browser.get("/api/auth/session")).json["user"]["kind"]

    for _ in range(2):
        assert (await browser.enter("sign-up", "guest@example.org")).status == 202
        assert await kind() == "anonymous"
    await confirm(browser, email_service, "guest@example.org")
    await browser.enter("sign-in", "guest@example.org")
    assert await kind() == "account"
    assert (await browser.get(f"/api/documents/{document}")).status == 200
