"""Part 5.3 of the specification, sentence by sentence."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest
from app_fixtures.browser import Instance
from sqlalchemy import select

from app_server.database.engine import open_database, sqlite_url
from app_server.database.schema import scheduled_tasks
from app_server.settings import read_settings
from app_server.tasks import service
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.configuration.problem import ConfigurationError

TICK = "/api/admin/tasks/tick"
SECRET = "a-secret-of-the-platforms-scheduler"
InstancesWith = Callable[[AppSettings], AbstractAsyncContextManager[Instance]]


async def test_5_3_1_cron_secret_is_the_bearer_secret_of_route_1_and_unset_by_default(
    environment: dict[str, str], new_instance_with: InstancesWith
) -> None:
    right, wrong = {"Authorization": f"Bearer {SECRET}"}, {"Authorization": "Bearer another"}
    for more, statuses in (({}, (404, 404)), ({"CRON_SECRET": SECRET}, (200, 401))):
        async with new_instance_with(read_app_settings({**environment, **more})) as instance:
            browser = await instance.new_browser()
            answers = [await browser.get(TICK, headers=headers) for headers in (right, wrong)]
        assert tuple(answer.status for answer in answers) == statuses


@pytest.mark.parametrize("platform", ["VERCEL", "AWS_LAMBDA_FUNCTION_NAME"])
def test_5_3_2_it_is_required_on_serverless_hosting(environment: dict[str, str], platform: str) -> None:
    there = {**environment, platform: "1", "S3_PUBLIC_ENDPOINT": "https://objects.example.org"}
    with pytest.raises(ConfigurationError, match="CRON_SECRET") as refused:
        read_settings(there)
    assert [problem.name for problem in refused.value.problems] == ["CRON_SECRET"]
    read_settings({**there, "CRON_SECRET": SECRET})
    read_settings(environment)


async def test_5_3_3_a_long_running_app_server_runs_the_tasks_itself_and_needs_no_secret(
    settings: AppSettings, new_instance_with: InstancesWith, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_TICK_SECONDS", 0.05)
    assert settings.database.path
    ran: set[str] = set()
    async with (
        new_instance_with(settings) as instance,
        open_database(sqlite_url(settings.database.path)) as database,
        asyncio.timeout(30),
    ):
        while "prune-sessions" not in ran:
            await asyncio.sleep(0.05)
            done = select(scheduled_tasks.c.key).where(scheduled_tasks.c.finished_at_ms.is_not(None))
            async with database.read() as connection:
                ran = set(await connection.scalars(done))
        assert (await (await instance.new_browser()).get(TICK)).status == 404
