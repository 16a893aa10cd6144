"""AUTH_SECRET changes: what is stored under the old one is sealed anew, together or not at all."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, update

from app_server.account_email.model import API_KEY_PLACE
from app_server.database.engine import Database, open_database, sqlite_url
from app_server.database.schema import account_email, metadata, providers
from app_server.secrets.sealing import Place, SecretSealer
from app_server.secrets.stored import rotate, sealed_columns, stored_secrets
from app_server.wiring.application import open_app
from servers.lectern import LECTERN, ROOT
from shared.configuration.app_settings import read_app_settings

OLD_SECRET, NEW_SECRET = "the old secret, long enough", "the new secret, long enough"
OLD, NEW = SecretSealer(auth_secret=OLD_SECRET), SecretSealer(auth_secret=NEW_SECRET)


def place(number: int) -> Place:
    return Place("providers", "api_key", f"id-{number}")


async def add_provider(database: Database, number: int, sealed: str | None) -> None:
    row = {
        "id": f"id-{number}", "slug": f"provider-{number}", "display_name": "",
        "provider_type": "custom-openai",
        "base_url": "", "api_key": sealed, "default_model": "", "default_instructions": "", "enabled": True,
        "created_at_ms": number,
    }  # fmt: skip
    async with database.write() as connection:
        await connection.execute(insert(providers).values(row))


async def keys(database: Database) -> list[str | None]:
    async with database.read() as connection:
        return list(await connection.scalars(select(providers.c.api_key).order_by(providers.c.id)))


async def test_every_secret_is_sealed_anew(database: Database) -> None:
    for number in range(3):
        await add_provider(database, number, OLD.seal(f"key {number}", place(number)))
    await add_provider(database, 3, None)
    rotation = await rotate(database, old=OLD, new=NEW, leave_unreadable=False)
    assert (rotation.sealed_anew, rotation.already_new, rotation.unreadable) == (3, 0, ())
    sealed = await keys(database)
    assert [NEW.open(text or "", place(number)) for number, text in enumerate(sealed[:3])] == [
        "key 0", "key 1", "key 2"
    ]  # fmt: skip
    assert sealed[3] is None


async def test_rotating_twice_changes_nothing_more(database: Database) -> None:
    await add_provider(database, 0, OLD.seal("key", place(0)))
    await rotate(database, old=OLD, new=NEW, leave_unreadable=False)
    first = await keys(database)
    rotation = await rotate(database, old=OLD, new=NEW, leave_unreadable=False)
    assert (rotation.sealed_anew, rotation.already_new) == (0, 1)
    assert await keys(database) == first


async def test_a_secret_that_opens_with_neither_keeps_everything_as_it_was(database: Database) -> None:
    await add_provider(database, 0, OLD.seal("key", place(0)))
    await add_provider(database, 1, SecretSealer(auth_secret="a third one").seal("key", place(1)))
    before = await keys(database)
    rotation = await rotate(database, old=OLD, new=NEW, leave_unreadable=False)
    assert rotation.sealed_anew == 0
    assert [secret.shown for secret in rotation.unreadable] == ["providers “provider-1”, api_key"]
    assert await keys(database) == before
    rotation = await rotate(database, old=OLD, new=NEW, leave_unreadable=True)
    assert rotation.sealed_anew == 1
    after = await keys(database)
    assert NEW.open(after[0] or "", place(0)) == "key"
    assert after[1] == before[1]


async def test_the_key_of_account_email_is_sealed_anew_too(database: Database) -> None:
    row = {
        "id": API_KEY_PLACE.row, "enabled": True, "sender_name": "Lectern", "sender_email": "a@example.org",
        "reply_to": None, "api_key": OLD.seal("mail key", API_KEY_PLACE), "updated_at_ms": 0,
    }  # fmt: skip
    async with database.write() as connection:
        await connection.execute(insert(account_email).values(row))
    assert (await rotate(database, old=OLD, new=NEW, leave_unreadable=False)).sealed_anew == 1
    async with database.read() as connection:
        sealed = await connection.scalar(select(account_email.c.api_key))
    assert NEW.open(sealed or "", API_KEY_PLACE) == "mail key"


async def test_every_sealed_column_is_found_by_its_mark(database: Database) -> None:
    """Whoever adds a secret marks its column; a text column that sounds like one may not go unmarked."""
    marked = {(table.name, column.name) for table, column in sealed_columns()}
    assert ("providers", "api_key") in marked
    suspicious = ("api_key", "secret", "token")
    unmarked = {
        (table.name, column.name)
        for table in metadata.sorted_tables
        for column in table.columns
        if column.name.endswith(suspicious) and (table.name, column.name) not in marked
    }
    assert unmarked == set()
    async with database.read() as connection:
        assert [secret async for secret in stored_secrets(connection)] == []


async def command(
    environment: dict[str, str], *arguments: str, text: str = "", **variables: str
) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        *LECTERN, "rotate-secret", "--env-file", "/dev/null", *arguments,
        env={**environment, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'gen'}", **variables},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await process.communicate(text.encode())
    return process.returncode, said.decode()


@pytest.fixture
async def with_old_key(environment: dict[str, str]) -> dict[str, str]:
    """An instance that has run under the old secret; the environment has the new one."""
    upstream = {"API_BASE": "https://speech.example/v1", "API_KEY": "sk-sentinel-0123456789"}
    async with open_app(read_app_settings({**environment, **upstream, "AUTH_SECRET": OLD_SECRET})):
        pass
    return {**environment, "AUTH_SECRET": NEW_SECRET}


@pytest.mark.parametrize("way", ["variable", "input", "argument"])
async def test_the_command_takes_the_old_secret_without_showing_it(
    with_old_key: dict[str, str], way: str
) -> None:
    given: dict[str, Callable[[], Any]] = {
        "variable": lambda: command(with_old_key, OLD_AUTH_SECRET=OLD_SECRET),
        "input": lambda: command(with_old_key, "-", text=f"{OLD_SECRET}\n"),
        "argument": lambda: command(with_old_key, OLD_SECRET),
    }
    code, said = await given[way]()
    assert (code, said) == (0, "1 stored secrets were sealed anew; 0 were so already.\n")
    url = sqlite_url(Path(with_old_key["EMBEDDED_DB_PATH"]))
    async with open_database(url) as database, database.read() as connection:
        (secret,) = [secret async for secret in stored_secrets(connection)]
    assert NEW.open(secret.sealed, secret.place) == "sk-sentinel-0123456789"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 1, "The old AUTH_SECRET is missing: set OLD_AUTH_SECRET"),
        ((NEW_SECRET,), 1, "there is nothing to do"),
        (("quite another secret, long enough",), 1, "providers “default-provider”, api_key: opens neither"),
    ],
)
async def test_the_command_says_what_is_wrong(
    with_old_key: dict[str, str], arguments: tuple[str, ...], code: int, said: str
) -> None:
    answer = await command(with_old_key, *arguments)
    assert answer[0] == code
    assert said in answer[1]
    assert OLD_SECRET not in answer[1]
    assert NEW_SECRET not in answer[1]


async def test_a_wrong_auth_secret_is_shown_per_provider_and_stops_nothing(
    environment: dict[str, str], new_instance: Any, settings: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    async with new_instance() as instance:
        async with open_database(sqlite_url(settings.database.path)) as database:
            await add_provider(database, 0, OLD.seal("key", place(0)))
            await add_provider(database, 1, None)
            async with database.write() as connection:
                await connection.execute(update(providers).values(display_name="A provider"))
        await instance.new_reader("ada@example.org")
    capfd.readouterr()
    async with new_instance() as instance:
        said = "".join(capfd.readouterr())
        browser = await instance.new_browser()
        await browser.enter("sign-in", "ada@example.org")
        shown = (await browser.get("/api/tts/shared-providers")).json["providers"]
    assert {choice["ref"]: choice["status"] for choice in shown} == {
        "provider-0": "key_unreadable", "provider-1": "ready", "builtin": "ready"
    }  # fmt: skip
    assert said.count("a stored key can't be decrypted") == 1
    assert "provider-0" in said
