"""Brings a database to this program's schema: additive steps, safe when several programs start at once."""

import argparse
import asyncio
import fcntl
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.engine import URL, Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app_server.database.engine import create_engine, database_url
from shared.configuration.app_settings import read_app_settings
from shared.configuration.environment import ENV_FILE
from shared.configuration.startup import settings_or_exit
from shared.errors import Code, LecternError

MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK_NUMBER = 0x4C454354  # "LECT"


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="lectern migrate", description="Brings the database up to date.")
    parser.add_argument("--env-file", type=Path, default=ENV_FILE)
    arguments = parser.parse_args(argv)
    settings = settings_or_exit(read_app_settings, env_file=arguments.env_file)
    try:
        asyncio.run(migrate(database_url(settings.database)))
    except LecternError as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    sys.stdout.write(f"The database is at revision {known_revisions()[-1]}.\n")
    return 0


async def migrate(url: URL) -> None:
    """Applies what is missing. FAILED_PRECONDITION when the database is newer than the program."""
    engine = create_engine(url)
    try:
        if url.get_backend_name() == "sqlite":
            async with _sqlite_file_locked(Path(url.database or "")):
                await _migrate_sqlite(engine)
        else:
            await _migrate_postgresql(engine)
    finally:
        await engine.dispose()


def known_revisions() -> list[str]:
    """Oldest first; a migration's file name starts with its revision."""
    return sorted(path.name.split("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*_*.py"))


async def _migrate_sqlite(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        # Outside a transaction, and once: the file remembers it.
        raw = await connection.get_raw_connection()
        cursor = await asyncio.wait_for(raw.driver_connection.execute("PRAGMA journal_mode = WAL"), 30)  # type: ignore[union-attr]
        await cursor.close()
    async with engine.begin() as connection:
        await _upgrade_if_behind(connection)


async def _migrate_postgresql(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK_NUMBER})
        await _upgrade_if_behind(connection)


async def _upgrade_if_behind(connection: AsyncConnection) -> None:
    present = await _present_revision(connection)
    known = known_revisions()
    if present is not None and present not in known:
        raise LecternError(
            Code.FAILED_PRECONDITION,
            f"The database is at revision {present}, which this version of Lectern doesn't know (it knows up "
            f"to {known[-1]}): a newer version has used it. Run that one, or restore a copy from before.",
            reason="DATABASE_TOO_NEW",
        )
    if present != known[-1]:
        await connection.run_sync(_upgrade)


async def _present_revision(connection: AsyncConnection) -> str | None:
    try:
        async with connection.begin_nested():
            revision: str | None = await connection.scalar(text("SELECT version_num FROM alembic_version"))
            return revision
    except DBAPIError:
        return None  # no such table: a fresh database


def _upgrade(connection: Connection) -> None:
    # Alembic costs 0.2 s of start-up; a database that is up to date needs none of it.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


@asynccontextmanager
async def _sqlite_file_locked(path: Path) -> AsyncIterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path.with_name(path.name + ".migrating"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        await asyncio.to_thread(fcntl.flock, descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
