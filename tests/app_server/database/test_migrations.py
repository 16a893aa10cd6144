import asyncio
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.engine import URL, Connection

from app_server.database.engine import create_engine, open_database, server_url, sqlite_url
from app_server.database.migrate import known_revisions, main, migrate
from app_server.database.schema import metadata
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
