"""Headers, cookies and limits that every answer and every request has."""

import json

import pytest
from aiohttp.test_utils import TestClient, TestServer
from app_fixtures.browser import PASSWORD, Browser
from app_fixtures.worker import StatefulWorker

from app_server.wiring.application import open_app
from shared.configuration.app_settings import read_app_settings

PATHS = (
    "/signin",
    "/api/auth/session",
    "/api/documents",
    "/ui/main.js",
    "/nothing",
    "/api/nothing",
    "/health/live",
)


def directives(policy: str) -> dict[str, list[str]]:
    return {name: values for name, *values in (part.split() for part in policy.split(";"))}


@pytest.mark.parametrize("path", PATHS)
async def test_every_answer_has_the_headers_that_protect_its_reader(browser: Browser, path: str) -> None:
    headers = (await browser.get(path)).headers
    policy = directives(headers["Content-Security-Policy"])
    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == policy["style-src"] == ["'self'"]
    assert policy["frame-ancestors"] == policy["base-uri"] == ["'none'"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "microphone=()" in headers["Permissions-Policy"]
    assert "Strict-Transport-Security" not in headers
    assert headers["Server"] == "lectern"


async def test_on_https_browsers_are_told_to_stay_there_and_cookies_never_leave_it(
    environment: dict[str, str], worker: StatefulWorker
) -> None:
    settings = read_app_settings({**environment, "BASE_URL": "https://lectern.example"})
    async with open_app(settings) as app, TestServer(app) as server, TestClient(server) as client:
        browser = Browser(client=client, origin="https://lectern.example")
        entered = await browser.enter("sign-up", "ada@example.org")
        assert entered.status == 201
        assert entered.headers["Strict-Transport-Security"] == "max-age=31536000"
        name, _, rest = entered.headers["Set-Cookie"].partition("=")
        assert name == "__Host-lectern_session"
        attributes = {part.strip() for part in rest.split(";")[1:]}
        assert {"HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=604800"} <= attributes
        assert not any(attribute.startswith("Domain") for attribute in attributes)


async def test_a_body_that_is_too_large_is_refused(browser: Browser) -> None:
    body = json.dumps({"email": "a@example.org", "password": PASSWORD, "more": "x" * 300_000})
    for chunked in (False, True):
        options = {"chunked": True} if chunked else {}
        answer = await browser.send(
            "POST", "/api/auth/sign-in", data=body, headers={"Content-Type": "application/json"}, **options
        )
        assert (answer.status, answer.code) == (413, "REQUEST_TOO_LARGE")
