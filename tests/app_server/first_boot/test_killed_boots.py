"""A first boot that is killed and begun again ends like one that was not, and several at once like one."""

import asyncio
import json
import os
import random
import subprocess
import sys

import pytest
from sqlalchemy.engine import URL

from app_server.settings import read_settings
from app_server.site_features.sql_store import SqlFeatureStore
from app_server.wiring.resources import open_prepared_database
from servers.lectern import ROOT
from shared.configuration.app_settings import AppSettings

PROGRAM = (sys.executable, "-m", "app_fixtures.killed_boots")
SEED = {
    "version": 1,
    "runtimeConfig": {"maxUploadMb": 5, "signupPolicy": "approval", "ttsCacheTtlMs": 9},
    "providers": [
        {
            "slug": slug,
            "displayName": slug,
            "providerType": "openai",
            "defaultModel": "tts-1",
            "apiKey": f"sk-{slug}",
        }
        for slug in ("one", "two", "three")
    ],
    "accountEmail": {
        "enabled": True,
        "senderName": "Lectern",
        "senderEmail": "lectern@example.org",
        "apiKey": "mail-key-of-some-length",
    },
}
EXPECTED = {
    "revision": None,
    "features": [
        ["maxUploadMb", 5, "seed"],
        ["signupPolicy", "approval", "seed"],
        ["ttsCacheTtlMs", 9, "seed"],
    ],
    "providers": [["one", "", "sk-one"], ["three", "", "sk-three"], ["two", "", "sk-two"]],
    "email": [["Lectern", "mail-key-of-some-length"]],
    "users": [["admin@example.org", "admin", True, True]],
    "consumed": ["account_email", "administrator", "providers", "runtime_config"],
}


@pytest.fixture
def first_boot_environment(database_url: URL) -> dict[str, str]:
    is_sqlite = database_url.get_backend_name() == "sqlite"
    where = (
        {"EMBEDDED_DB_PATH": str(database_url.database)}
        if is_sqlite
        else {"SERVER_DB_URL": database_url.render_as_string(hide_password=False)}
    )
    return {
        "BASE_URL": "http://localhost:3003",
        "AUTH_SECRET": "a-random-text-of-some-length",
        "RUNTIME_SEED_JSON": json.dumps(SEED),
        "BOOTSTRAP_ADMIN_EMAIL": "admin@example.org",
        "BOOTSTRAP_ADMIN_PASSWORD": "a first password of its own",
        **where,
    }


def program_environment(environment: dict[str, str], *, seed: str, rounds: int) -> dict[str, str]:
    path = os.pathsep.join((str(ROOT), str(ROOT / "gen"), str(ROOT / "tests")))
    own = {"PATH": os.environ["PATH"], "PYTHONPATH": path, "SEED": seed, "ROUNDS": str(rounds)}
    return {**environment, **own}


def without_revision(content: dict[str, object]) -> dict[str, object]:
    return {**content, "revision": None}


def test_killed_at_any_moment_and_begun_again_it_ends_the_same(
    first_boot_environment: dict[str, str],
) -> None:
    seed = str(random.SystemRandom().randrange(2**32))
    print(f"SEED={seed}")
    rounds = 20 if "EMBEDDED_DB_PATH" in first_boot_environment else 6
    path = os.pathsep.join((str(ROOT), str(ROOT / "gen"), str(ROOT / "tests")))
    done = subprocess.run(
        [sys.executable, "-m", "app_fixtures.killed_boots"],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": path,
            **first_boot_environment,
            "SEED": seed,
            "ROUNDS": str(rounds),
        },
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    contents = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(contents) == rounds + 1
    clean, *killed = contents
    assert without_revision(clean) == EXPECTED
    assert [content for content in killed if content != clean] == []


async def test_several_app_servers_that_start_at_once_take_in_the_same_once(
    first_boot_environment: dict[str, str],
) -> None:
    path = os.pathsep.join((str(ROOT), str(ROOT / "gen"), str(ROOT / "tests")))
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": path,
        **first_boot_environment,
        "SEED": "0",
        "ROUNDS": "0",
    }

    async def start() -> dict[str, object]:
        process = await asyncio.create_subprocess_exec(
            *PROGRAM, env=environment, stdout=asyncio.subprocess.PIPE
        )
        output, _ = await process.communicate()
        assert process.returncode == 0
        (line,) = [line for line in output.splitlines() if line.startswith(b"{")]
        content: dict[str, object] = json.loads(line)
        return content

    contents = await asyncio.gather(*(start() for _ in range(3)))
    assert [without_revision(content) for content in contents] == [EXPECTED] * 3


async def test_a_later_boot_changes_nothing(first_boot_environment: dict[str, str]) -> None:
    async def boot(settings: AppSettings) -> None:
        async with open_prepared_database(settings):
            pass

    await boot(read_settings(first_boot_environment))
    other = {**SEED, "runtimeConfig": {"maxUploadMb": 6}, "providers": []}
    await boot(read_settings({**first_boot_environment, "RUNTIME_SEED_JSON": json.dumps(other)}))
    async with open_prepared_database(read_settings(first_boot_environment)) as database:
        assert (await SqlFeatureStore(database=database).rows())["maxUploadMb"].value == 5
