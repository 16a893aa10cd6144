"""First starts, in one transaction: killed half-way, it has not happened."""

from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app_server.account_email.model import ROW_ID, AccountEmail
from app_server.accounts.model import AccessStatus, Role
from app_server.database.engine import Database, lock_for_transaction
from app_server.database.schema import account_email, first_boot, providers, runtime_config, users
from app_server.first_boot.model import FirstBootInputs, Input, NewAdministrator, Outcome
from app_server.providers.model import Provider
from app_server.providers.sql_store import provider_row
from app_server.site_features.model import Source


class SqlFirstBootStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def consumed(self) -> set[Input]:
        async with self._database.read() as connection:
            return await _consumed(connection)

    async def take_in(self, inputs: FirstBootInputs, *, now_ms: int) -> dict[Input, Outcome]:
        outcomes: dict[Input, Outcome] = {}
        async with self._database.write() as connection:
            await lock_for_transaction(connection, "first boot")
            for key in inputs.given() - await _consumed(connection):
                outcomes[key] = await _take_in(connection, key, inputs, now_ms)
                # Something that stands in the way of an administrator may go; the rest is decided.
                if key is not Input.ADMINISTRATOR or outcomes[key] is Outcome.TAKEN_IN:
                    row = {"input": key.value, "consumed_at_ms": now_ms}
                    await connection.execute(insert(first_boot).values(row))
        return outcomes


async def _consumed(connection: AsyncConnection) -> set[Input]:
    names = set(await connection.scalars(select(first_boot.c.input)))
    return {key for key in Input if key.value in names}


async def _take_in(connection: AsyncConnection, key: Input, inputs: FirstBootInputs, now_ms: int) -> Outcome:
    match key:
        case Input.RUNTIME_CONFIG:
            return await _add_features(connection, inputs.runtime_config or {}, now_ms)
        case Input.PROVIDERS:
            return await _add_providers(connection, inputs.providers or [], now_ms)
        case Input.ACCOUNT_EMAIL:
            assert inputs.account_email  # noqa: S101  # it was given
            return await _add_account_email(connection, inputs.account_email, now_ms)
        case Input.ADMINISTRATOR:
            assert inputs.administrator  # noqa: S101  # it was given
            return await _add_administrator(connection, inputs.administrator, now_ms)


async def _add_features(connection: AsyncConnection, values: dict[str, Any], now_ms: int) -> Outcome:
    present = set(await connection.scalars(select(runtime_config.c.key)))
    rows = [
        {"key": key, "value": value, "source": Source.SEED.value, "updated_at_ms": now_ms}
        for key, value in values.items()
        if key not in present
    ]
    if rows:
        await connection.execute(insert(runtime_config), rows)
    return Outcome.TAKEN_IN if rows or not values else Outcome.PRESENT


async def _add_providers(connection: AsyncConnection, given: list[Provider], now_ms: int) -> Outcome:
    if await connection.scalar(select(providers.c.id).limit(1)) is not None:
        return Outcome.PRESENT
    for place, provider in enumerate(given):
        # They are listed oldest first: in the order in which they were written.
        await connection.execute(insert(providers).values(provider_row(provider, now_ms + place)))
    return Outcome.TAKEN_IN


async def _add_account_email(connection: AsyncConnection, given: AccountEmail, now_ms: int) -> Outcome:
    if await connection.scalar(select(account_email.c.id).limit(1)) is not None:
        return Outcome.PRESENT
    row = {
        "id": ROW_ID,
        "enabled": given.enabled,
        "sender_name": given.sender_name,
        "sender_email": given.sender_email,
        "reply_to": given.reply_to,
        "api_key": given.sealed_api_key,
        "updated_at_ms": now_ms,
    }
    await connection.execute(insert(account_email).values(row))
    return Outcome.TAKEN_IN


async def _add_administrator(connection: AsyncConnection, given: NewAdministrator, now_ms: int) -> Outcome:
    administrators = select(users.c.id).where(users.c.role == Role.ADMIN.value).limit(1)
    if await connection.scalar(administrators) is not None:
        return Outcome.PRESENT
    if await connection.scalar(select(users.c.id).where(users.c.email == given.email)) is not None:
        return Outcome.ADDRESS_TAKEN
    row = {
        "id": given.id,
        "email": given.email,
        "password_hash": given.password_hash,
        "status": AccessStatus.ACTIVE.value,
        "role": Role.ADMIN.value,
        "must_change_password": True,
        "created_at_ms": now_ms,
    }
    await connection.execute(insert(users).values(row))
    return Outcome.TAKEN_IN
