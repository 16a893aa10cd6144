"""Who has no password shows by a fresh sign-in that it is them."""

import time

import pytest
from app_fixtures.browser import Answer, Browser
from app_fixtures.sign_in import come_in

from servers.identity_provider.process import IdentityProviderServer
from shared.configuration.app_settings import AppSettings, read_app_settings


class RealClock:
    """The provider's, which can be turned on."""

    def __init__(self) -> None:
        self.offset_ms = 0

    def __call__(self) -> int:
        return time.time_ns() // 1_000_000 + self.offset_ms


@pytest.fixture
def clock() -> RealClock:
    return RealClock()


@pytest.fixture
def settings(environment: dict[str, str], identity_provider: IdentityProviderServer) -> AppSettings:
    return read_app_settings({**environment, **identity_provider.oidc_variables})


async def delete(browser: Browser) -> Answer:
    return await browser.send("DELETE", "/api/account", json={"currentPassword": ""})


async def test_address_and_account_are_changed_within_ten_minutes_of_signing_in(
    browser: Browser, clock: RealClock
) -> None:
    await come_in(browser)
    assert (await browser.get("/api/user/account")).json["hasPassword"] is False
    clock.offset_ms = 11 * 60 * 1000
    moved = {"newEmail": "elsewhere@example.org", "currentPassword": ""}
    for refused in (await delete(browser), await browser.post("/api/user/email", moved)):
        assert (refused.status, refused.code) == (403, "FRESH_SIGN_IN_NEEDED")
    clock.offset_ms = 0
    await come_in(browser)
    assert (await browser.post("/api/user/email", moved)).json == {"state": "changed"}
    assert (await delete(browser)).status == 204
    assert (await browser.get("/api/auth/session")).json["user"] is None
