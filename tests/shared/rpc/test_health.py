import asyncio
from collections.abc import Mapping
from typing import Any

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from shared.errors import Code, LecternError
from shared.rpc.health import HealthCheck, add_health


async def good() -> None:
    pass


async def refusing() -> None:
    raise LecternError(Code.UNAVAILABLE, "The broker does not answer.")


async def leaking() -> None:
    raise OSError("postgres://user:password@host")


async def hanging() -> None:
    await asyncio.Event().wait()


async def asked(path: str, checks: Mapping[str, HealthCheck]) -> tuple[int, dict[str, Any]]:
    app = web.Application()
    add_health(app, version="1.2.3", checks=checks, limit_seconds=0.05)
    async with TestClient(TestServer(app)) as client:
        response: aiohttp.ClientResponse = await client.get(path)
        return response.status, await response.json()


async def test_live_asks_nobody() -> None:
    status, body = await asked("/health/live", {"broker": hanging})
    assert (status, body) == (200, {"status": "live", "version": "1.2.3"})


async def test_ready_when_every_dependency_answers() -> None:
    status, body = await asked("/health/ready", {"broker": good, "store": good})
    assert (status, body["status"], body["version"]) == (200, "ready", "1.2.3")
    assert {state["status"] for state in body["dependencies"].values()} == {"ready"}


async def test_one_dependency_that_fails_makes_it_unready_by_name() -> None:
    status, body = await asked("/health/ready", {"broker": refusing, "store": good})
    assert (status, body["status"]) == (503, "unready")
    assert body["dependencies"]["broker"]["message"] == "The broker does not answer."
    assert body["dependencies"]["store"]["status"] == "ready"


async def test_a_dependency_that_hangs_is_given_up() -> None:
    status, body = await asked("/health/ready", {"broker": hanging})
    assert status == 503
    assert "0.05 s" in body["dependencies"]["broker"]["message"]


async def test_an_unexpected_failure_shows_nothing_of_its_text() -> None:
    status, body = await asked("/health/ready", {"database": leaking})
    assert status == 503
    assert "password" not in str(body)
