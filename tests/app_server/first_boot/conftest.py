"""First starts over an empty database of each kind."""

import itertools
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import select

from app_server.accounts.passwords import Passwords
from app_server.database.engine import Database
from app_server.database.schema import account_email, providers, runtime_config, users
from app_server.first_boot.reading import read_seed
from app_server.first_boot.service import FirstBoot
from app_server.first_boot.sql_store import SqlFirstBootStore
from app_server.secrets.sealing import SecretSealer
from shared.configuration.app_settings import ProviderBootstrap
from shared.configuration.first_boot_settings import FirstAdministrator, SeedText

Boot = Callable[..., Awaitable[None]]


@pytest.fixture
def sealer() -> SecretSealer:
    return SecretSealer(auth_secret="x" * 40)


@pytest.fixture
def boot(database: Database, sealer: SecretSealer) -> Boot:
    """seed is the document's text."""
    numbers = itertools.count()

    async def run(
        seed: str | None = None,
        *,
        provider: ProviderBootstrap | None = None,
        administrator: FirstAdministrator | None = None,
    ) -> None:
        first_boot = FirstBoot(
            store=SqlFirstBootStore(database=database),
            sealer=sealer,
            passwords=Passwords(),
            clock=lambda: 1_000,
            new_id=lambda: f"id-{next(numbers)}",
        )
        await first_boot.take_in(
            seed=read_seed(SeedText("RUNTIME_SEED_JSON", seed) if seed else None),
            provider=provider,
            administrator=administrator,
        )

    return run


class Tables:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def features(self) -> dict[str, tuple[Any, str]]:
        return {row.key: (row.value, row.source) for row in await self._all(runtime_config)}

    async def providers(self) -> list[Any]:
        return await self._all(providers)

    async def emails(self) -> list[Any]:
        return await self._all(account_email)

    async def users(self) -> list[Any]:
        return await self._all(users)

    async def _all(self, table: Any) -> list[Any]:
        async with self._database.read() as connection:
            return list(await connection.execute(select(table).order_by(*table.primary_key.columns)))


@pytest.fixture
def tables(database: Database) -> Tables:
    return Tables(database)
