"""AUTH_MODE=single-user: no sign-in, one administrator, and nobody but this machine."""

import pytest
from aiohttp import FormData
from app_fixtures.browser import Answer, Browser

from servers.identity_provider.process import IdentityProviderServer
from shared.configuration.app_settings import AppSettings, read_app_settings


@pytest.fixture
def settings(environment: dict[str, str], identity_provider: IdentityProviderServer) -> AppSettings:
    variables = {**environment, **identity_provider.oidc_variables, "USE_ANONYMOUS_AUTH_SESSIONS": "true"}
    return read_app_settings({**variables, "AUTH_MODE": "single-user"})


class LocalBrowser:
    """One that is at the address of BASE_URL, not at the test server's own."""

    def __init__(self, browser: Browser, host: str = "localhost:3003") -> None:
        self._browser = browser
        self._host = host

    async def send(self, method: str, path: str, **options: object) -> Answer:
        return await self._browser.send(method, path, headers={"Host": self._host}, **options)


async def test_everybody_here_is_the_one_administrator(browser: Browser) -> None:
    here = LocalBrowser(browser)
    session = (await here.send("GET", "/api/auth/session")).json
    assert session["user"] == {
        "id": "local",
        "email": "",
        "kind": "local",
        "isAdmin": True,
        "mustChangePassword": False,
    }
    ways = session["signIn"]
    assert (ways["mode"], ways["guests"], ways["providers"]) == ("single-user", False, [])
    assert (await here.send("GET", "/api/documents")).status == 200
    assert (await here.send("GET", "/api/admin/users")).status == 200


async def test_there_is_no_way_in_and_no_page_for_one(browser: Browser) -> None:
    here = LocalBrowser(browser)
    credentials = {"email": "ada@example.org", "password": "a long enough one"}
    passwords = {"currentPassword": "", "newPassword": "a long enough one"}
    for path, body in (
        ("/api/auth/sign-up", credentials),
        ("/api/auth/sign-in", credentials),
        ("/api/auth/change-password", passwords),
    ):
        answer = await here.send("POST", path, json=body)
        assert (answer.status, answer.code) == (409, "NO_SIGN_IN_HERE"), path
    assert (await here.send("POST", "/api/auth/external/oidc", json={})).code == "PROVIDER_NOT_FOUND"
    for path in ("/", "/signin", "/signup"):
        assert (await here.send("GET", path)).headers["Location"] == "/app"
    assert (await here.send("POST", "/api/auth/sign-out")).status == 204
    assert (await here.send("GET", "/api/documents")).status == 200


async def test_a_page_whose_name_was_pointed_here_gets_nothing(browser: Browser) -> None:
    """DNS rebinding: such a page is same-origin with the name it has given to 127.0.0.1."""
    for host in ("evil.example:3003", "evil.example", "localhost:3004", "127.0.0.1:3003", "localhost", "@"):
        there = LocalBrowser(browser, host)
        answer = await there.send("GET", "/api/documents")
        assert (answer.status, answer.code) == (403, "ADDRESS_NOT_TRUSTED"), host
        page = await there.send("GET", "/app")
        assert (page.status, b"http://localhost:3003" in page.body) == (403, True)
    answer = await LocalBrowser(browser, "LOCALHOST:3003").send("GET", "/api/documents")
    assert answer.status == 200


async def test_a_trusted_origins_name_is_one_of_ours(environment: dict[str, str], new_instance_with) -> None:
    settings = read_app_settings(
        {**environment, "AUTH_MODE": "single-user", "AUTH_TRUSTED_ORIGINS": "http://127.0.0.1:3003"}
    )
    async with new_instance_with(settings) as instance:
        there = LocalBrowser(await instance.new_browser(), "127.0.0.1:3003")
        assert (await there.send("GET", "/api/documents")).status == 200


async def test_programs_that_ask_for_its_health_need_no_name(browser: Browser) -> None:
    assert (await browser.get("/health/ready")).status == 200


async def test_other_pages_change_nothing_here(browser: Browser) -> None:
    headers = {"Host": "localhost:3003", "Origin": "https://evil.example"}
    answer = await browser.post("/api/auth/sign-out", headers=headers)
    assert (answer.status, answer.code) == (403, "ORIGIN_NOT_TRUSTED")


async def test_going_over_to_accounts_the_first_administrator_is_made(
    environment: dict[str, str], settings: AppSettings, new_instance_with
) -> None:
    async with new_instance_with(settings) as instance:
        document = await _upload(LocalBrowser(await instance.new_browser()))
        assert document.status == 201
    password = "a password from the environment"
    later = read_app_settings(
        {**environment, "BOOTSTRAP_ADMIN_EMAIL": "a@example.org", "BOOTSTRAP_ADMIN_PASSWORD": password}
    )
    async with new_instance_with(later) as instance:
        browser = await instance.new_browser()
        assert (await browser.get("/api/documents")).status == 401
        assert (await browser.enter("sign-in", "a@example.org", password)).status == 200


async def _upload(browser: LocalBrowser) -> Answer:
    form = FormData()
    form.add_field("file", b"<p>Hello.</p>", filename="hello.html", content_type="text/html")
    return await browser.send("POST", "/api/documents", data=form)
