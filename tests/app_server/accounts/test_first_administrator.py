"""The first administrator's way from the first password to rights in force, in the running application."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from app_fixtures.browser import Browser, Instance

from shared.configuration.app_settings import AppSettings, read_app_settings

FIRST = "a first password of its own"
SECOND = "another one that only she knows"
EMAIL = "admin@example.org"


@pytest.fixture
def settings(environment: dict[str, str]) -> AppSettings:
    return read_app_settings(
        {**environment, "BOOTSTRAP_ADMIN_EMAIL": EMAIL, "BOOTSTRAP_ADMIN_PASSWORD": FIRST}
    )


@pytest.fixture
async def instance(
    new_instance: Callable[[], AbstractAsyncContextManager[Instance]],
) -> AsyncIterator[Instance]:
    async with new_instance() as instance:
        yield instance


async def signed_in(instance: Instance, password: str) -> Browser:
    browser = await instance.new_browser()
    answer = await browser.post("/api/auth/sign-in", {"email": EMAIL, "password": password})
    assert answer.status == 200
    return browser


async def user(browser: Browser) -> Any:
    return (await browser.get("/api/auth/session")).json["user"]


def change(current: str, new: str) -> dict[str, str]:
    return {"currentPassword": current, "newPassword": new}


async def test_rights_begin_when_the_password_has_been_changed(instance: Instance) -> None:
    browser, elsewhere = await signed_in(instance, FIRST), await signed_in(instance, FIRST)
    before = await user(browser)
    assert (before["isAdmin"], before["mustChangePassword"]) == (False, True)
    answer = await browser.post("/api/auth/change-password", change(FIRST, SECOND))
    assert answer.status == 200
    after = await user(browser)
    assert (after["isAdmin"], after["mustChangePassword"]) == (True, False)
    assert await user(elsewhere) is None
    assert (await user(await signed_in(instance, SECOND)))["isAdmin"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (change("wrong password here", SECOND), "currentPassword"),
        (change(FIRST, FIRST), "newPassword"),
        (change(FIRST, "short"), "newPassword"),
    ],
)
async def test_a_change_that_is_not_one_leaves_everything(
    instance: Instance, body: dict[str, str], field: str
) -> None:
    browser = await signed_in(instance, FIRST)
    answer = await browser.post("/api/auth/change-password", body)
    assert 400 <= answer.status < 500
    assert field in answer.body.decode()
    assert not (await user(browser))["isAdmin"]
    assert not (await user(await signed_in(instance, FIRST)))["isAdmin"]


async def test_only_who_is_signed_in_changes_a_password(instance: Instance) -> None:
    browser = await instance.new_browser()
    assert (await browser.post("/api/auth/change-password", change(FIRST, SECOND))).status == 401


async def test_an_ordinary_account_is_no_administrator(instance: Instance) -> None:
    reader = await instance.new_reader("reader@example.org")
    shown = await user(reader)
    assert (shown["isAdmin"], shown["mustChangePassword"]) == (False, False)


async def test_a_restart_brings_the_first_password_not_back(
    new_instance: Callable[[], AbstractAsyncContextManager[Instance]],
) -> None:
    async with new_instance() as first:
        await (await signed_in(first, FIRST)).post("/api/auth/change-password", change(FIRST, SECOND))
    async with new_instance() as second:
        browser = await second.new_browser()
        answer = await browser.post("/api/auth/sign-in", {"email": EMAIL, "password": FIRST})
        assert answer.status == 401
        assert (await user(await signed_in(second, SECOND)))["isAdmin"]
