"""A program for a test: first boots that are killed at random moments and begun again, each over an empty
database. Prints one line of JSON for each: what the database holds in the end, without what is random.

Environment: that of `lectern serve`, ROUNDS, and SEED for the moments.
"""

import asyncio
import json
import os
import random
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import select, text

from app_server.account_email.model import API_KEY_PLACE
from app_server.accounts.passwords import Passwords
from app_server.database.engine import Database, create_engine, database_url
from app_server.database.schema import account_email, first_boot, providers, runtime_config, users
from app_server.providers.secrets import api_key_place
from app_server.secrets.sealing import SecretSealer
from app_server.settings import read_settings
from app_server.wiring.resources import open_prepared_database
from shared.configuration.app_settings import AppSettings


def main(environment: Mapping[str, str]) -> None:
    settings = read_settings(environment)
    moments = random.Random(int(environment["SEED"]))
    started = time.monotonic()
    _complete(settings)
    longest = 1.1 * (time.monotonic() - started)
    for _ in range(int(environment["ROUNDS"])):
        _empty(settings)
        for _ in range(moments.randint(1, 2)):
            _kill(_forked(settings), moments.uniform(0, longest))
        _complete(settings)


def _forked(settings: AppSettings) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        asyncio.run(_boot(settings))
        os._exit(0)
    finally:
        os._exit(1)


def _kill(pid: int, after_seconds: float) -> None:
    time.sleep(after_seconds)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _complete(settings: AppSettings) -> None:
    pid = os.fork()
    if pid:
        _, status = os.waitpid(pid, 0)
        if status != 0:
            sys.exit("a boot after a killed one failed")
        return
    try:
        asyncio.run(_boot(settings, show=True))
        sys.stdout.flush()
        os._exit(0)
    finally:
        os._exit(1)


async def _boot(settings: AppSettings, *, show: bool = False) -> None:
    async with open_prepared_database(settings) as database:
        if show:
            sys.stdout.write(json.dumps(await _content(database, settings)) + "\n")


async def _content(database: Database, settings: AppSettings) -> dict[str, object]:
    sealer = SecretSealer(auth_secret=settings.auth_secret)
    administrator = settings.first_boot.administrator
    assert administrator
    async with database.read() as connection:
        return {
            "revision": await connection.scalar(text("SELECT version_num FROM alembic_version")),
            "features": sorted(
                [row.key, row.value, row.source] for row in await connection.execute(select(runtime_config))
            ),
            "providers": sorted(
                [row.slug, row.base_url, sealer.open(row.api_key, api_key_place(row.id))]
                for row in await connection.execute(select(providers))
            ),
            "email": [
                [row.sender_name, sealer.open(row.api_key, API_KEY_PLACE)]
                for row in await connection.execute(select(account_email))
            ],
            "users": [
                [
                    row.email,
                    row.role,
                    row.must_change_password,
                    await Passwords().matches(administrator.password, row.password_hash),
                ]
                for row in await connection.execute(select(users))
            ],
            "consumed": sorted(await connection.scalars(select(first_boot.c.input))),
        }


def _empty(settings: AppSettings) -> None:
    path = settings.database.path
    if path:
        for file in Path(path.parent).glob(f"{path.name}*"):
            file.unlink()
    else:
        asyncio.run(_drop_all(settings))


async def _drop_all(settings: AppSettings) -> None:
    engine = create_engine(database_url(settings.database))
    async with engine.begin() as connection:
        await connection.execute(text("DROP SCHEMA public CASCADE"))
        await connection.execute(text("CREATE SCHEMA public"))
    await engine.dispose()


if __name__ == "__main__":
    main(os.environ)
