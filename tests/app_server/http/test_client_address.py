"""Whose word about a caller's address is believed."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import pytest
from app_fixtures.browser import Browser, Instance

from shared.configuration.app_settings import AppSettings, read_app_settings


@pytest.fixture(params=["127.0.0.1,::1", "192.0.2.0/24"], ids=["trusted", "a stranger"])
def proxies(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def settings(environment: dict[str, str], proxies: str) -> AppSettings:
    return read_app_settings({**environment, "TRUSTED_PROXIES": proxies})


@pytest.fixture
async def browser(
    new_instance: Callable[[], AbstractAsyncContextManager[Instance]],
) -> AsyncIterator[Browser]:
    async with new_instance() as instance:
        yield await instance.new_browser()


async def test_callers_are_counted_apart_only_behind_a_trusted_proxy(browser: Browser, proxies: str) -> None:
    async def sign_in(address: str) -> int:
        body = {"email": "ada@example.org", "password": "wrong password"}
        answer = await browser.post("/api/auth/sign-in", body, headers={"X-Forwarded-For": address})
        return answer.status

    first = [await sign_in("203.0.113.1") for _ in range(6)]
    assert first == [401] * 5 + [429]
    assert await sign_in("203.0.113.2") == (401 if proxies.startswith("127.") else 429)
