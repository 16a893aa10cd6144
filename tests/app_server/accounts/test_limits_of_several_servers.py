"""Two app servers over one database count attempts together."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import pytest
from app_fixtures.browser import Instance
from sqlalchemy.engine import URL

from shared.configuration.app_settings import AppSettings, read_app_settings


@pytest.fixture
async def servers(
    environment: dict[str, str],
    database_url: URL,
    free_port: Callable[[], int],
    new_instance_with: Callable[[AppSettings], AbstractAsyncContextManager[Instance]],
) -> AsyncIterator[list[Instance]]:
    if database_url.get_backend_name() == "sqlite":
        environment["EMBEDDED_DB_PATH"] = str(database_url.database)
    else:
        environment["SERVER_DB_URL"] = database_url.render_as_string(hide_password=False)
    environment["USE_ANONYMOUS_AUTH_SESSIONS"] = "true"
    async with AsyncExitStack() as stack:
        servers = []
        for _ in range(2):
            settings = read_app_settings({**environment, "CREDENTIAL_BROKER_GRPC_PORT": str(free_port())})
            servers.append(await stack.enter_async_context(new_instance_with(settings)))
        yield servers


async def test_sign_ins_sign_ups_and_guests_are_counted_together(servers: list[Instance], clock) -> None:
    browsers = [await server.new_browser() for server in servers]
    for number in range(5):
        answer = await browsers[number % 2].enter("sign-in", "ada@example.org", "wrong wrong")
        assert answer.status == 401
        assert (await browsers[number % 2].enter("sign-up", f"{number}@example.org")).status == 201
        guest = await servers[number % 2].new_browser()
        assert (await guest.post("/api/auth/guest")).status == 201
    for server, browser in zip(servers, browsers, strict=True):
        refused = [
            await browser.enter("sign-in", "ada@example.org", "wrong wrong"),
            await browser.enter("sign-up", "6@example.org"),
            await (await server.new_browser()).post("/api/auth/guest"),
        ]
        assert [answer.status for answer in refused] == [429] * 3
        assert [answer.headers["Retry-After"] for answer in refused] == ["60", "3600", "3600"]
    clock.turn(seconds=60)
    answer = await browsers[1].enter("sign-in", "ada@example.org", "wrong wrong")
    assert answer.status == 401


async def test_a_session_of_one_is_a_session_of_the_other(servers: list[Instance]) -> None:
    first, second = [await server.new_browser() for server in servers]
    await first.enter("sign-up", "ada@example.org")
    cookies = {cookie.key: cookie.value for cookie in first.client.session.cookie_jar}
    assert (await second.get("/api/documents", cookies=cookies)).status == 200
    await first.post("/api/auth/sign-out")
    assert (await second.get("/api/documents", cookies=cookies)).status == 401
