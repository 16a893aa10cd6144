"""HOSTED_PRODUCTION, exactly `true`: the badge, the privacy notice, and who is kept out."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

import pytest
from aiohttp.test_utils import TestClient, TestServer
from app_fixtures.browser import Browser
from app_fixtures.worker import StatefulWorker

from app_server.wiring.application import open_app
from shared.configuration.app_settings import read_app_settings

BASE_URL = "http://localhost:3003"
Opened = Callable[..., AbstractAsyncContextManager[Browser]]


@pytest.fixture
def opened(environment: dict[str, str], worker: StatefulWorker) -> Opened:
    """The app with these variables besides, and somebody at this machine asking it."""

    @asynccontextmanager
    async def start(**variables: str) -> AsyncIterator[Browser]:
        async with AsyncExitStack() as stack:
            settings = read_app_settings({**environment, **variables})
            app = await stack.enter_async_context(open_app(settings))
            server = await stack.enter_async_context(TestServer(app))
            yield Browser(client=await stack.enter_async_context(TestClient(server)), origin=BASE_URL)

    return start


async def test_requests_from_outside_the_us_are_answered_451(opened: Opened) -> None:
    async with opened(HOSTED_PRODUCTION="true", TRUSTED_PROXIES="127.0.0.1") as browser:
        for name in ("CF-IPCountry", "X-Vercel-IP-Country", "cloudfront-viewer-country"):
            page = await browser.get("/signin", headers={name: "DE"})
            assert (page.status, b"not available" in page.body) == (451, True)
            refused = await browser.get("/api/auth/session", headers={name: "de"})
            assert (refused.status, refused.code) == (451, "REGION_NOT_SERVED")
            assert (await browser.post("/api/auth/sign-out", headers={name: "XX"})).status == 451
            assert (await browser.get("/signin", headers={name: "US"})).status == 200
        both = {"CF-IPCountry": "FR", "X-Vercel-IP-Country": "US"}
        assert (await browser.get("/signin", headers=both)).status == 451
        assert (await browser.get("/signin")).status == 200


async def test_what_anybody_may_see_is_open_everywhere(opened: Opened) -> None:
    async with opened(HOSTED_PRODUCTION="true", TRUSTED_PROXIES="127.0.0.1") as browser:
        for path in ("/privacy", "/health/live", "/ui/styles/base.css"):
            assert (await browser.get(path, headers={"CF-IPCountry": "DE"})).status == 200, path


async def test_the_country_is_believed_only_from_trusted_proxies(opened: Opened) -> None:
    for variables in ({}, {"TRUSTED_PROXIES": "10.0.0.0/8"}):
        async with opened(HOSTED_PRODUCTION="true", **variables) as browser:
            assert (await browser.get("/signin", headers={"CF-IPCountry": "DE"})).status == 200


async def test_the_official_instance_has_a_badge_and_a_privacy_notice(opened: Opened) -> None:
    async with opened(HOSTED_PRODUCTION="true") as browser:
        notice = await browser.get("/privacy")
        assert (notice.status, b"Privacy notice" in notice.body) == (200, True)
        for path in ("/", "/signin", "/privacy", "/nothing-here"):
            page = await browser.get(path)
            assert page.body.count(b"Official instance") == 1, path
            assert b'<a href="/privacy">' in page.body


@pytest.mark.parametrize("value", ["", "TRUE", "1", "yes", "false"])
async def test_only_exactly_true_makes_an_instance_the_official_one(opened: Opened, value: str) -> None:
    async with opened(HOSTED_PRODUCTION=value, TRUSTED_PROXIES="127.0.0.1") as browser:
        page = await browser.get("/signin", headers={"CF-IPCountry": "DE"})
        assert (page.status, b"Official instance" in page.body) == (200, False)
        assert (await browser.get("/privacy")).status == 404
