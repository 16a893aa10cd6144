import asyncio
import os
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from app_fixtures import postgresql
from sqlalchemy import text
from sqlalchemy.engine import URL, Connection

from app_server.database.engine import create_engine, open_database, server_url, sqlite_url
from app_server.database.engine import database_url as engine_url
from app_server.database.migrate import known_revisions, main, migrate, require_current
from app_server.database.schema import metadata
from app_server.wiring.application import open_app
from servers.lectern import LECTERN, ROOT
from shared.configuration.app_settings import read_app_settings
from shared.errors import LecternError


async def test_the_migrations_make_exactly_the_schema(database_url: URL) -> None:
    await migrate(database_url)

    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))

    engine = create_engine(database_url)
    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    await engine.dispose()


async def test_programs_that_start_at_once_migrate_once(database_url: URL) -> None:
    await asyncio.gather(*(migrate(database_url) for _ in range(4)))
    async with open_database(database_url) as database, database.read() as connection:
        revisions = (
            (await connection.execute(text("SELECT version_num FROM alembic_version"))).scalars().all()
        )
    assert revisions == [known_revisions()[-1]]


async def test_a_database_of_a_newer_version_is_refused(database_url: URL) -> None:
    await migrate(database_url)
    async with open_database(database_url) as database, database.write() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(LecternError, match="a newer version has used it"):
        await migrate(database_url)


async def test_sqlite_writes_ahead_and_keeps_references(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "a folder" / "lectern.db")
    await migrate(url)
    async with open_database(url) as database, database.read() as connection:
        assert await connection.scalar(text("PRAGMA journal_mode")) == "wal"
        assert await connection.scalar(text("PRAGMA foreign_keys")) == 1
        assert await connection.scalar(text("PRAGMA busy_timeout")) > 0


def test_the_command_migrates(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert main(["--env-file", "/dev/null"]) == 0
    assert known_revisions()[-1] in capsys.readouterr().out


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+asyncpg", "postgresql+psycopg"])
def test_a_server_address_may_be_spelled_in_any_usual_way(scheme: str) -> None:
    url = server_url(f"{scheme}://user:pass%40word@host:5433/lectern?sslmode=require")
    assert url.drivername == "postgresql+asyncpg"
    assert (url.password, url.port) == ("pass@word", 5433)
    assert dict(url.query) == {"ssl": "require"}


async def test_programs_of_several_processes_migrate_once(
    database_url: URL, environment: dict[str, str]
) -> None:
    processes = [
        await asyncio.create_subprocess_exec(
            *LECTERN, "migrate", "--env-file", "/dev/null",
            env=command_environment(environment, database_url),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        for _ in range(3)
    ]  # fmt: skip
    said = [(await process.communicate())[0].decode() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], said
    await require_current(database_url)


async def test_an_operator_who_migrates_by_hand_is_told_what_is_missing(database_url: URL) -> None:
    with pytest.raises(LecternError, match=r"is empty .*RUN_DB_MIGRATIONS is false\. Run `lectern migrate`"):
        await require_current(database_url)
    await migrate(database_url)
    await require_current(database_url)
    await set_revision(database_url, "0000")
    with pytest.raises(LecternError, match="newer version has used it"):
        await require_current(database_url)


async def test_the_app_leaves_the_schema_alone_when_it_is_told_to(environment: dict[str, str]) -> None:
    settings = read_app_settings({**environment, "RUN_DB_MIGRATIONS": "false"})
    with pytest.raises(LecternError, match="Run `lectern migrate` first"):
        async with open_app(settings):
            pass
    await migrate(engine_url(settings.database))
    async with open_app(settings):
        pass


async def test_the_app_refuses_a_database_of_a_newer_version(
    environment: dict[str, str], database_url: URL
) -> None:
    await migrate(database_url)
    await set_revision(database_url, "9999")
    settings = read_app_settings({**environment, **variables_of(database_url)})
    with pytest.raises(LecternError) as caught:
        async with open_app(settings):
            pass
    assert caught.value.reason == "DATABASE_TOO_NEW"


async def test_a_database_that_cannot_be_used_is_named_with_its_variable(tmp_path: Path, free_port) -> None:
    (tmp_path / "a file").touch()
    for url, variable in (
        (server_url(f"postgresql://lectern:sentinel-word@127.0.0.1:{free_port()}/books"), "SERVER_DB_URL"),
        (sqlite_url(tmp_path / "a file" / "lectern.db"), "EMBEDDED_DB_PATH"),
        (sqlite_url(tmp_path), "EMBEDDED_DB_PATH"),
    ):
        with pytest.raises(LecternError, match=f"can't be used.*Check {variable}") as caught:
            await migrate(url)
        assert "sentinel-word" not in caught.value.message


@pytest.mark.skipif(not postgresql.is_installed(), reason="no PostgreSQL is installed")
async def test_a_missing_database_of_a_server_is_said_to_be_missing(postgresql_server: str) -> None:
    with pytest.raises(LecternError, match='database "no_such_books" does not exist'):
        await migrate(server_url(f"{postgresql_server}/no_such_books"))


async def set_revision(url: URL, revision: str) -> None:
    async with open_database(url) as database, database.write() as connection:
        await connection.execute(
            text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision}
        )


def variables_of(url: URL) -> dict[str, str]:
    if url.get_backend_name() == "sqlite":
        return {"EMBEDDED_DB_PATH": str(url.database)}
    return {"SERVER_DB_URL": url.set(drivername="postgresql").render_as_string(hide_password=False)}


def command_environment(environment: dict[str, str], url: URL) -> dict[str, str]:
    path = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'gen'}"}
    return {**environment, **variables_of(url), **path}
