"""AUTH_MODE=single-user: the one user takes everything along, and there is no account to leave."""

import asyncio
import io
import zipfile

import pytest
from app_fixtures.browser import Browser

from shared.configuration.app_settings import AppSettings, read_app_settings

HERE = {"Host": "localhost:3003"}


@pytest.fixture
def settings(environment: dict[str, str]) -> AppSettings:
    return read_app_settings({**environment, "AUTH_MODE": "single-user"})


async def test_the_one_user_can_export(browser: Browser) -> None:
    assert (await browser.post("/api/user/export", headers=HERE)).status == 202
    async with asyncio.timeout(20):
        while True:
            (export,) = (await browser.get("/api/user/exports", headers=HERE)).json["exports"]
            if export["state"] == "ready":
                break
            await asyncio.sleep(0.02)
    answer = await browser.get(f"/api/user/exports/{export['id']}/file", headers=HERE)
    assert "data/users.json" in zipfile.ZipFile(io.BytesIO(answer.body)).namelist()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("DELETE", "/api/account", {"currentPassword": ""}),
        ("POST", "/api/user/email", {"newEmail": "a@example.org", "currentPassword": ""}),
        ("POST", "/api/auth/forgot-password", {"email": "a@example.org"}),
        ("POST", "/api/auth/reset-password", {"token": "x", "newPassword": "a long enough one"}),
        ("POST", "/api/auth/confirm-email", {"token": "x"}),
    ],
)
async def test_what_is_about_signing_in_is_refused(
    browser: Browser, method: str, path: str, body: dict[str, str]
) -> None:
    answer = await browser.send(method, path, json=body, headers=HERE)
    assert (answer.status, answer.code) == (409, "NO_SIGN_IN_HERE")


async def test_there_are_no_devices_to_sign_out(browser: Browser) -> None:
    assert (await browser.get("/api/user/sessions", headers=HERE)).json == {"sessions": []}
