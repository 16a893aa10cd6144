import pytest
from app_fixtures.browser import Browser, Instance


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/app", "/signin?next=/app"),
        ("/app/settings/account", "/signin?next=/app/settings/account"),
        ("/read/abc", "/signin?next=/read/abc"),
    ],
)
async def test_without_a_session_one_is_led_to_the_sign_in_page(
    browser: Browser, path: str, target: str
) -> None:
    answer = await browser.get(path)
    assert (answer.status, answer.headers["Location"]) == (303, target)


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/", "/app"),
        ("/signin", "/app"),
        ("/signup?next=/read/abc", "/read/abc"),
        ("/signin?next=//evil.example", "/app"),
        ("/signin?next=https://evil.example", "/app"),
        ("/signin?next=/app\\\\evil", "/app"),
    ],
)
async def test_with_a_session_one_is_led_into_ones_own_pages(reader: Browser, path: str, target: str) -> None:
    answer = await reader.get(path)
    assert (answer.status, answer.headers["Location"]) == (303, target)


async def test_a_visitor_is_told_what_this_is(browser: Browser) -> None:
    page = await browser.get("/")
    assert page.status == 200
    assert b"/signup" in page.body


async def test_pages_come_with_a_strict_policy(browser: Browser) -> None:
    page = await browser.get("/signin")
    assert page.status == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    policy = page.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "media-src 'self' blob: http://localhost:8081;" in policy
    assert "unsafe" not in policy
    assert page.headers["X-Content-Type-Options"] == "nosniff"


async def test_static_files_are_revalidated_by_their_content(browser: Browser) -> None:
    script = await browser.get("/ui/main.js")
    assert script.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert script.headers["Cache-Control"] == "no-cache"
    again = await browser.get("/ui/main.js", headers={"If-None-Match": script.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    "name", ["pages/app.html", "..%2fserve.py", "%2e%2e/serve.py", "none.js", "%00.js", "styles"]
)
async def test_only_files_of_the_application_are_served(browser: Browser, name: str) -> None:
    assert (await browser.get(f"/ui/{name}")).status == 404


async def test_an_unknown_page_is_friendly_and_an_unknown_api_address_a_problem(
    browser: Browser,
) -> None:
    page = await browser.get("/nothing/here")
    assert page.status == 404
    assert page.headers["Content-Type"].startswith("text/html")
    assert (await browser.get("/api/nothing")).code == "NOT_FOUND"
    wrong = await browser.send("PUT", "/api/auth/session")
    assert (wrong.status, wrong.code, "GET" in wrong.headers["Allow"]) == (405, "METHOD_NOT_ALLOWED", True)


async def test_the_app_is_ready_without_a_worker(browser: Browser, worker) -> None:
    await worker.stop()
    assert (await browser.get("/health/live")).json["status"] == "ok"
    ready = await browser.get("/health/ready")
    assert (ready.status, ready.json["dependencies"]) == (200, {"database": "ok", "objectStorage": "ok"})


@pytest.mark.parametrize("path", ["/verify-email", "/forgot-password", "/reset-password"])
async def test_what_a_message_leads_to_opens_for_anybody(instance: Instance, path: str) -> None:
    for browser in (await instance.new_browser(), await instance.new_reader("ada@example.org")):
        assert (await browser.get(path)).status == 200
