"""Brings a database to this program's schema: additive steps, safe when several programs start at once."""

import argparse
import asyncio
import fcntl
import os
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from asyncpg import PostgresError
from sqlalchemy import text
from sqlalchemy.engine import URL, Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app_server.database.engine import create_engine, database_url
from app_server.settings import read_settings
from shared.configuration.environment import ENV_FILE
from shared.configuration.startup import settings_or_exit
from shared.errors import Code, LecternError

MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK_NUMBER = 0x4C454354  # "LECT"


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="lectern migrate", description="Brings the database up to date.")
    parser.add_argument("--env-file", type=Path, default=ENV_FILE)
    arguments = parser.parse_args(argv)
    settings = settings_or_exit(read_settings, env_file=arguments.env_file)
    try:
        asyncio.run(migrate(database_url(settings.database)))
    except LecternError as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    sys.stdout.write(f"The database is at revision {known_revisions()[-1]}.\n")
    return 0


async def migrate(url: URL) -> None:
    """Applies what is missing. FAILED_PRECONDITION when the database is newer than the program, or can't be
    opened."""
    async with _opened(url) as engine:
        if url.get_backend_name() == "sqlite":
            async with _sqlite_file_locked(Path(url.database or "")):
                await _migrate_sqlite(engine)
        else:
            await _migrate_postgresql(engine)


async def require_current(url: URL) -> None:
    """For those who migrate by themselves: FAILED_PRECONDITION unless nothing is missing."""
    async with _opened(url) as engine, engine.connect() as connection:
        present = await _present_revision(connection)
    _refuse_newer(present)
    if present != known_revisions()[-1]:
        raise LecternError(
            Code.FAILED_PRECONDITION,
            f"The database is {f'at revision {present}' if present else 'empty'} and this version of Lectern "
            f"needs {known_revisions()[-1]}, but RUN_DB_MIGRATIONS is false. Run `lectern migrate` first.",
            reason="DATABASE_TOO_OLD",
        )


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
    _refuse_newer(present)
    if present != known_revisions()[-1]:
        await connection.run_sync(_upgrade)


def _refuse_newer(present: str | None) -> None:
    known = known_revisions()
    if present is not None and present not in known:
        raise LecternError(
            Code.FAILED_PRECONDITION,
            f"The database is at revision {present}, which this version of Lectern doesn't know (it knows up "
            f"to {known[-1]}): a newer version has used it. Run that one, or restore a copy from before.",
            reason="DATABASE_TOO_NEW",
        )


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
async def _opened(url: URL) -> AsyncIterator[AsyncEngine]:
    engine = create_engine(url)
    try:
        with _readable_errors(url):
            yield engine
    finally:
        await engine.dispose()


@contextmanager
def _readable_errors(url: URL) -> Iterator[None]:
    """At a start the operator is told which database, which variable and why; never the password."""
    try:
        yield
    except (OSError, TimeoutError, DBAPIError, PostgresError) as error:
        is_file = url.get_backend_name() == "sqlite"
        place = url.database if is_file else f"{url.host}:{url.port or 5432}/{url.database}"
        raise LecternError(
            Code.FAILED_PRECONDITION,
            f"The database {place} can't be used ({_cause(error)}). "
            f"Check {'EMBEDDED_DB_PATH' if is_file else 'SERVER_DB_URL, and that the server runs'}.",
            reason="DATABASE_UNUSABLE",
        ) from error


def _cause(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    # Drivers' errors come wrapped in SQLAlchemy's, which would print the statement too.
    return str(getattr(error, "orig", error)).rpartition(">: ")[2] or type(error).__name__


@asynccontextmanager
async def _sqlite_file_locked(path: Path) -> AsyncIterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path.with_name(path.name + ".migrating"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        await asyncio.to_thread(fcntl.flock, descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
