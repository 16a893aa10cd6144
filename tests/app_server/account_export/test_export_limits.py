"""How often an account is exported, when an administrator limits it."""

import asyncio
from typing import Any

import pytest
from app_fixtures.administrator import VARIABLES, new_administrator
from app_fixtures.browser import Instance

from app_server.compute_limits.defaults import default_policies


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return {**environment, **VARIABLES}


async def test_a_third_export_within_an_hour_has_to_wait(instance: Instance, clock) -> None:
    admin = await new_administrator(instance)
    document: dict[str, Any] = default_policies().model_dump(mode="json", by_alias=True, exclude_none=True)
    document["actions"]["account_export"]["enabled"] = True
    assert (await admin.send("PUT", "/api/admin/compute-limits", json=document)).status == 200
    reader = await instance.new_reader("reader@example.org")
    for _ in range(2):
        assert (await reader.post("/api/user/export")).status == 202
        async with asyncio.timeout(20):
            while {one["state"] for one in (await reader.get("/api/user/exports")).json["exports"]} != {
                "ready"
            }:
                await asyncio.sleep(0.02)
    refused = await reader.post("/api/user/export")
    assert (refused.status, refused.code) == (429, "RATE_LIMIT_REACHED")
    assert int(refused.headers["Retry-After"]) == 3600
    clock.turn(seconds=3600)
    assert (await reader.post("/api/user/export")).status == 202
