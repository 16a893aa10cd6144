"""/api/admin/tasks: route 1 of the specification's part 4, and the administrator's addresses."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from app_fixtures.administrator import EMAIL, PASSWORD, VARIABLES, new_administrator
from app_fixtures.browser import Browser, Instance

SECRET = "a-secret-of-the-platforms-scheduler"
TICK = "/api/admin/tasks/tick"
ALL = {
    "reap-orphaned-blobs",
    "cleanup-temp-uploads",
    "expire-export-artifacts",
    "prune-limit-ledger",
    "prune-sessions",
}


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return {**environment, **VARIABLES, "CRON_SECRET": SECRET}


async def test_a_scheduler_with_the_secret_runs_what_is_due(browser: Browser, clock: Any) -> None:
    headers = {"Authorization": f"Bearer {SECRET}"}
    answer = await browser.client.get(TICK, headers=headers)  # no cookie, no Origin, no body
    assert answer.status == 200
    ran = (await answer.json())["ran"]
    assert {report["key"] for report in ran} == ALL
    assert {report["outcome"] for report in ran} == {"done"}
    assert (await browser.get(TICK, headers=headers)).json == {"ran": []}
    clock.turn(seconds=3600)
    again = (await browser.get(TICK, headers=headers)).json["ran"]
    assert {report["key"] for report in again} == {"cleanup-temp-uploads", "prune-sessions"}


async def test_without_the_secret_or_with_a_wrong_one_nothing_runs(browser: Browser) -> None:
    wrong = ["", "Bearer", "Bearer ", f"Bearer {SECRET}x", f"Bearer {SECRET[:-1]}", SECRET, f"Basic {SECRET}"]
    for headers in ({}, *({"Authorization": value} for value in wrong)):
        answer = await browser.get(TICK, headers=headers)
        assert (answer.status, answer.code) == (401, "CRON_SECRET_REFUSED"), headers
    right = await browser.get(TICK, headers={"Authorization": f"bearer {SECRET}"})
    assert {report["key"] for report in right.json["ran"]} == ALL  # nothing had run before


class TestWithoutSecret:
    @pytest.fixture
    def environment(self, environment: dict[str, str]) -> dict[str, str]:
        return {name: value for name, value in environment.items() if name != "CRON_SECRET"}

    async def test_there_is_no_such_address(self, browser: Browser) -> None:
        for authorization in ("", "Bearer ", "Bearer None", f"Bearer {SECRET}"):
            answer = await browser.get(TICK, headers={"Authorization": authorization})
            assert (answer.status, answer.code) == (404, "NOT_FOUND"), authorization


async def test_an_administrator_sees_changes_and_runs_tasks(instance: Instance) -> None:
    admin = await new_administrator(instance)
    assert (await admin.get(TICK)).status == 401  # a session is no scheduler's secret
    tasks = {task["key"]: task for task in (await admin.get("/api/admin/tasks")).json["tasks"]}
    assert set(tasks) == ALL | {"prune-speech-cache"}
    assert {key: task["intervalSeconds"] // 3600 for key, task in tasks.items()} == {
        "reap-orphaned-blobs": 6,
        "cleanup-temp-uploads": 1,
        "expire-export-artifacts": 24,
        "prune-limit-ledger": 24,
        "prune-speech-cache": 24,
        "prune-sessions": 1,
    }
    assert [key for key, task in tasks.items() if not task["enabled"]] == ["prune-speech-cache"]
    assert tasks["prune-sessions"]["lastRun"] is None
    one = "/api/admin/tasks/prune-sessions"
    changed = await admin.send("PATCH", one, json={"enabled": False, "intervalSeconds": 7200})
    assert (changed.json["enabled"], changed.json["intervalSeconds"]) == (False, 7200)
    assert "nextRunAt" not in changed.json
    for body in ({"intervalSeconds": 59}, {"intervalSeconds": "60"}, {"retentionDays": 0}, {"other": 1}):
        assert (await admin.send("PATCH", one, json=body)).status == 422
    assert (await admin.send("PATCH", one, json={"retentionDays": 5})).code == "TASK_WITHOUT_RETENTION"
    assert (await admin.post(one + "/run")).status == 202
    assert (await admin.post("/api/admin/tasks/none/run")).code == "TASK_NOT_FOUND"
    log = (await admin.get("/api/admin/audit?action=task")).json["entries"]
    assert {entry["action"] for entry in log} == {"task.change", "task.run"}


async def test_nobody_else_gets_there(instance: Instance, reader: Browser) -> None:
    for method, path in (
        ("GET", "/api/admin/tasks"),
        ("PATCH", "/api/admin/tasks/prune-sessions"),
        ("POST", "/api/admin/tasks/prune-sessions/run"),
    ):
        assert (await reader.send(method, path, json={})).status == 403
        assert (await (await instance.new_browser()).send(method, path, json={})).status == 401


async def test_settings_outlive_the_app_server(
    new_instance: Callable[[], AbstractAsyncContextManager[Instance]],
) -> None:
    async with new_instance() as instance:
        admin = await new_administrator(instance)
        await admin.send("PATCH", "/api/admin/tasks/prune-speech-cache", json={"enabled": True})
    async with new_instance() as instance:
        admin = await instance.new_browser()
        assert (await admin.enter("sign-in", EMAIL, PASSWORD)).status == 200
        tasks = (await admin.get("/api/admin/tasks")).json["tasks"]
        assert [task["enabled"] for task in tasks if task["key"] == "prune-speech-cache"] == [True]
