"""What the first start takes in, what stands before what, and that it happens once."""

import asyncio
import json
from typing import Any

import pytest
from sqlalchemy import delete, insert, update

from app_server.account_email.model import API_KEY_PLACE
from app_server.accounts.passwords import Passwords
from app_server.database.engine import Database
from app_server.database.schema import account_email, providers, runtime_config, users
from app_server.providers.secrets import api_key_place
from app_server.secrets.sealing import SecretSealer
from app_server.site_features.service import SiteFeatureService
from app_server.site_features.sql_store import SqlFeatureStore
from shared.configuration.app_settings import ProviderBootstrap
from shared.configuration.first_boot_settings import FirstAdministrator

ADMIN = FirstAdministrator("admin@example.org", "a first password of its own")
FALLBACK = ProviderBootstrap("http://127.0.0.1:8880/v1", "", "kokoro")
PROVIDER = {
    "slug": "home",
    "displayName": "At home",
    "providerType": "custom-openai",
    "baseUrl": "http://127.0.0.1:8880/v1",
    "defaultModel": "kokoro",
    "enabled": True,
}
EMAIL = {
    "enabled": True,
    "senderName": "Lectern",
    "senderEmail": "lectern@example.org",
    "replyTo": None,
    "apiKey": "mail-key-of-some-length",
}


def seed(**keys: Any) -> str:
    return json.dumps({"version": 1, **keys})


async def test_a_seed_fills_site_features_and_names_their_source(database: Database, boot) -> None:
    await boot(seed(runtimeConfig={"maxUploadMb": 5, "signupPolicy": "closed"}))
    features = SiteFeatureService(store=SqlFeatureStore(database=database), clock=lambda: 0)
    current, sources = await features.current(), await features.sources()
    assert (current.max_upload_mb, current.signup_policy, current.enable_docx_conversion) == (
        5,
        "closed",
        True,
    )
    assert sources["maxUploadMb"].value == sources["signupPolicy"].value == "seed"
    assert sources["enableDocxConversion"].value == "default"


async def test_a_seed_fills_only_missing_rows(database: Database, boot, tables) -> None:
    row = {"key": "maxUploadMb", "value": 7, "source": "admin", "updated_at_ms": 0}
    async with database.write() as connection:
        await connection.execute(insert(runtime_config).values(row))
    await boot(seed(runtimeConfig={"maxUploadMb": 5, "ttsCacheTtlMs": 9}))
    assert await tables.features() == {"maxUploadMb": (7, "admin"), "ttsCacheTtlMs": (9, "seed")}


async def test_a_seed_is_taken_in_once(database: Database, boot, tables) -> None:
    await boot(seed(runtimeConfig={"maxUploadMb": 5}))
    features = SiteFeatureService(store=SqlFeatureStore(database=database), clock=lambda: 0)
    await features.reset(["maxUploadMb"])
    await boot(seed(runtimeConfig={"maxUploadMb": 5, "ttsCacheTtlMs": 9}))
    assert await tables.features() == {}


async def test_providers_of_the_document_come_before_the_api_variables(boot, tables) -> None:
    await boot(seed(providers=[PROVIDER, {**PROVIDER, "slug": "away"}]), provider=FALLBACK)
    assert [row.slug for row in sorted(await tables.providers(), key=lambda row: row.created_at_ms)] == [
        "home",
        "away",
    ]


async def test_an_empty_list_of_providers_skips_the_api_variables_for_good(boot, tables) -> None:
    await boot(seed(providers=[]), provider=FALLBACK)
    await boot(provider=FALLBACK)
    assert await tables.providers() == []


async def test_without_providers_in_the_document_the_api_variables_make_one(boot, tables) -> None:
    await boot(seed(runtimeConfig={}), provider=FALLBACK)
    (row,) = await tables.providers()
    assert (row.slug, row.provider_type, row.base_url, row.default_model, row.api_key, row.enabled) == (
        "default-provider", "custom-openai", "http://127.0.0.1:8880/v1", "kokoro", None, True,
    )  # fmt: skip


async def test_an_api_key_alone_means_openai(boot, tables, sealer: SecretSealer) -> None:
    await boot(provider=ProviderBootstrap("", "sk-1", "kokoro"))
    (row,) = await tables.providers()
    assert (row.provider_type, row.base_url) == ("openai", "https://api.openai.com/v1")
    assert sealer.open(row.api_key, api_key_place(row.id)) == "sk-1"


async def test_without_any_input_nothing_is_made(boot, tables) -> None:
    await boot()
    await boot(seed())
    found = [await tables.providers(), await tables.features(), await tables.emails(), await tables.users()]
    assert found == [[], {}, [], []]


async def test_what_an_administrator_removed_does_not_come_back(database: Database, boot, tables) -> None:
    given = seed(accountEmail=EMAIL)
    await boot(given, provider=FALLBACK)
    async with database.write() as connection:
        await connection.execute(delete(providers))
        await connection.execute(delete(account_email))
    await boot(given, provider=FALLBACK)
    assert (await tables.providers(), await tables.emails()) == ([], [])


async def test_account_email_is_kept_encrypted(boot, tables, sealer: SecretSealer) -> None:
    await boot(seed(accountEmail=EMAIL))
    (row,) = await tables.emails()
    assert (row.enabled, row.sender_name, row.sender_email, row.reply_to) == (
        True, "Lectern", "lectern@example.org", None,
    )  # fmt: skip
    assert EMAIL["apiKey"] not in row.api_key
    assert sealer.open(row.api_key, API_KEY_PLACE) == EMAIL["apiKey"]


async def test_account_email_that_is_there_is_not_overwritten(database: Database, boot, tables) -> None:
    await boot(seed(accountEmail=EMAIL))
    async with database.write() as connection:
        await connection.execute(update(account_email).values(sender_name="Changed"))
    await boot(seed(accountEmail=EMAIL))
    assert [row.sender_name for row in await tables.emails()] == ["Changed"]


async def test_the_first_administrator_has_an_account_without_rights_in_force(boot, tables) -> None:
    await boot(administrator=ADMIN)
    (row,) = await tables.users()
    assert (row.email, row.role, row.must_change_password) == ("admin@example.org", "admin", True)
    assert await Passwords().matches(ADMIN.password, row.password_hash)


async def test_a_removed_first_administrator_is_not_made_again(database: Database, boot, tables) -> None:
    await boot(administrator=ADMIN)
    async with database.write() as connection:
        await connection.execute(delete(users))
    await boot(administrator=ADMIN)
    await boot(administrator=FirstAdministrator("other@example.org", ADMIN.password))
    assert await tables.users() == []


USER = {"id": "u", "password_hash": "-", "status": "active", "created_at_ms": 0}


async def test_where_there_is_an_administrator_none_is_made(database: Database, boot, tables) -> None:
    async with database.write() as connection:
        await connection.execute(
            insert(users).values({**USER, "email": "chief@example.org", "role": "admin"})
        )
    await boot(administrator=ADMIN)
    assert [row.email for row in await tables.users()] == ["chief@example.org"]


async def test_an_ordinary_account_is_never_made_administrator(database: Database, boot, tables) -> None:
    async with database.write() as connection:
        await connection.execute(insert(users).values({**USER, "email": ADMIN.email}))
    await boot(administrator=ADMIN)
    assert [(row.email, row.role) for row in await tables.users()] == [(ADMIN.email, "member")]
    await boot(administrator=FirstAdministrator("other@example.org", ADMIN.password))
    assert {row.email for row in await tables.users() if row.role == "admin"} == {"other@example.org"}


async def test_many_first_starts_at_once_are_one(boot, tables) -> None:
    given = seed(runtimeConfig={"maxUploadMb": 5, "ttsCacheTtlMs": 9}, accountEmail=EMAIL)
    await asyncio.gather(*(boot(given, provider=FALLBACK, administrator=ADMIN) for _ in range(5)))
    assert await tables.features() == {"maxUploadMb": (5, "seed"), "ttsCacheTtlMs": (9, "seed")}
    counts = [len(await tables.providers()), len(await tables.emails()), len(await tables.users())]
    assert counts == [1, 1, 1]


@pytest.mark.parametrize("text", ["{}", '{"version": 2}'])
async def test_an_invalid_document_changes_nothing(boot, tables, text: str) -> None:
    with pytest.raises(Exception, match="RUNTIME_SEED_JSON"):
        await boot(text, administrator=ADMIN)
    assert await tables.users() == []
