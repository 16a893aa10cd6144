"""The database: SQLite in a file, or PostgreSQL. Hands out read and write transactions and named locks."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import event, text
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from shared.configuration.app_settings import DatabaseSettings
from shared.errors import Code, LecternError

_BUSY_TIMEOUT_MS = 15_000
_WRITES = "lectern_writes"
_MAX_HOLDERS = 5
# libpq's words, as asyncpg takes them.
_SSL_MODES = {"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}


class Database:
    def __init__(self, *, engine: AsyncEngine) -> None:
        self._engine = engine
        self._writing_engine = engine.execution_options(**{_WRITES: True})
        self._local_locks: dict[str, asyncio.Lock] = {}
        # A holder keeps one connection and asks for others; if all did, none would get on.
        self._holders = asyncio.Semaphore(_MAX_HOLDERS)

    @property
    def is_postgresql(self) -> bool:
        return self._engine.dialect.name == "postgresql"

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that only reads."""
        async with _transaction(self._engine) as connection:
            yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that may write; on SQLite it waits for its turn at the start, not half-way."""
        async with _transaction(self._writing_engine) as connection:
            yield connection

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncIterator[None]:
        """Keeps everybody else who holds the same name out: in this process, and on PostgreSQL in
        every process. (A SQLite file belongs to one app server.)"""
        lock = self._local_locks.setdefault(name, asyncio.Lock())
        try:
            async with lock:
                if not self.is_postgresql:
                    yield
                    return
                async with self._holders, self.read() as connection:
                    await lock_for_transaction(connection, name)
                    yield
        finally:
            if not lock.locked():
                self._local_locks.pop(name, None)


async def lock_for_transaction(connection: AsyncConnection, name: str) -> None:
    """Waits for a name that the transaction then holds to its end. SQLite has one writer anyway."""
    if connection.dialect.name == "postgresql":
        number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
        await connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": number})


@asynccontextmanager
async def open_database(url: URL) -> AsyncIterator[Database]:
    engine = create_engine(url)
    try:
        yield Database(engine=engine)
    finally:
        await engine.dispose()


def sqlite_url(path: Path) -> URL:
    return URL.create("sqlite+aiosqlite", database=str(path))


def database_url(settings: DatabaseSettings) -> URL:
    return server_url(settings.url) if settings.path is None else sqlite_url(settings.path)


def server_url(address: str) -> URL:
    """A PostgreSQL address in any of its usual spellings, for asyncpg."""
    url = make_url(address)
    if url.get_backend_name() not in {"postgresql", "postgres"}:
        raise LecternError(Code.INVALID_ARGUMENT, "SERVER_DB_URL must start with postgresql://.")
    url = url.set(drivername="postgresql+asyncpg")
    mode = url.query.get("sslmode")
    if isinstance(mode, str) and mode in _SSL_MODES:
        url = url.difference_update_query(["sslmode"]).update_query_dict({"ssl": mode})
    return url


def create_engine(url: URL) -> AsyncEngine:
    if url.get_backend_name() == "sqlite":
        engine = create_async_engine(url, pool_size=5, max_overflow=10, pool_timeout=15)
        event.listen(engine.sync_engine, "connect", _prepare_sqlite_connection)
        event.listen(engine.sync_engine, "begin", _begin_sqlite_transaction)
        return engine
    arguments: Mapping[str, object] = {"timeout": 10, "command_timeout": 30}
    return create_async_engine(
        url, pool_size=10, max_overflow=10, pool_timeout=15, pool_pre_ping=True, connect_args=dict(arguments)
    )


def _prepare_sqlite_connection(connection: object, _record: object) -> None:
    # None: the driver begins no transactions of its own, so that ours can begin IMMEDIATE.
    connection.isolation_level = None  # type: ignore[attr-defined]
    cursor = connection.cursor()  # type: ignore[attr-defined]
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.close()


def _begin_sqlite_transaction(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@asynccontextmanager
async def _transaction(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    try:
        async with engine.begin() as connection:
            yield connection
    except IntegrityError:
        raise  # a rule of the schema: the store that broke it knows what it means
    except (OperationalError, InterfaceError, PoolTimeoutError, ConnectionError) as error:
        raise _unavailable() from error
    except DBAPIError as error:
        if not error.connection_invalidated:
            raise
        raise _unavailable() from error


def _unavailable() -> LecternError:
    return LecternError(
        Code.UNAVAILABLE,
        "The database can't be reached just now. Try again in a moment.",
        reason="DATABASE_UNAVAILABLE",
    )
