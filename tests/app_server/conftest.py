"""The app over a real database and a real object store, with a small worker behind real gRPC."""

import asyncio
import itertools
import secrets
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import CookieJar
from aiohttp.test_utils import TestClient, TestServer
from aiohttp.web_app import _cached_build_middleware
from app_fixtures import postgresql
from app_fixtures.administrator import new_administrator
from app_fixtures.browser import Browser, Instance
from app_fixtures.worker import StatefulWorker
from sqlalchemy import insert, text
from sqlalchemy.engine import URL

from app_server.database.engine import Database, create_engine, open_database, server_url, sqlite_url
from app_server.database.migrate import migrate
from app_server.database.schema import runtime_config
from app_server.wiring.application import open_app
from app_server.wiring.resources import open_object_store
from servers.object_store import ObjectStoreServer
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.objects.ports import ObjectStore
from shared.rpc.server import serve_grpc
from shared.rpc.tokens import bearer_check

_numbers = itertools.count()
_DATABASES = ["sqlite", "postgresql"] if postgresql.is_installed() else ["sqlite"]
BASE_URL = "http://localhost:3003"


def pytest_report_header() -> str | None:
    return None if postgresql.is_installed() else "no PostgreSQL is installed: stores run on SQLite only"


class TurnableClock:
    def __init__(self) -> None:
        self.ms = 1_800_000_000_000

    def __call__(self) -> int:
        return self.ms

    def turn(self, *, seconds: float) -> None:
        self.ms += int(seconds * 1000)


@pytest.fixture(autouse=True)
def _forgotten_apps() -> Iterator[None]:
    """aiohttp remembers the handlers of 1,024 requests, and through them every app that they belong to."""
    yield
    _cached_build_middleware.cache_clear()


@pytest.fixture
def clock() -> TurnableClock:
    return TurnableClock()


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    with postgresql.running_postgresql() as address:
        yield address


@pytest.fixture(params=_DATABASES)
async def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> URL:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "lectern.db")
    return await _new_postgresql_database(request.getfixturevalue("postgresql_server"))


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with all tables and no rows, to be copied: most tests are not about migrations."""
    file = tmp_path_factory.mktemp("migrated") / "lectern.db"
    with ThreadPoolExecutor(1) as thread:  # a loop of its own, whether or not this one has one
        thread.submit(asyncio.run, migrate(sqlite_url(file))).result()
    return file


@pytest.fixture
async def database(database_url: URL, migrated_file: Path) -> AsyncIterator[Database]:
    if database_url.get_backend_name() == "sqlite":
        _copy_unless_there(migrated_file, Path(str(database_url.database)))
    else:
        await migrate(database_url)
    async with open_database(database_url) as database:
        yield database


def _copy_unless_there(migrated: Path, path: Path) -> None:
    if path.parent.is_dir() and not path.exists():
        shutil.copyfile(migrated, path)


async def _new_postgresql_database(server: str) -> URL:
    name = f"test_{next(_numbers)}"
    engine = create_engine(server_url(f"{server}/postgres")).execution_options(isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(f"CREATE DATABASE {name}"))
    await engine.dispose()
    return server_url(f"{server}/{name}")


@pytest.fixture
def environment(
    tmp_path: Path, object_store: ObjectStoreServer, free_port: Callable[[], int]
) -> dict[str, str]:
    return {
        "BASE_URL": BASE_URL,
        "AUTH_SECRET": secrets.token_urlsafe(32),
        "EMBEDDED_DB_PATH": str(tmp_path / "lectern.db"),
        "USE_EMBEDDED_OBJSTORE": "false",
        "S3_INTERNAL_ENDPOINT": object_store.endpoint,
        "S3_ACCESS_KEY_ID": object_store.access_key,
        "S3_SECRET_ACCESS_KEY": object_store.secret_key,
        "S3_BUCKET": object_store.bucket,
        "S3_REGION": object_store.region,
        "S3_FORCE_PATH_STYLE": "true",
        "S3_PREFIX": f"app-{secrets.token_hex(4)}",
        "COMPUTE_WORKER_URL": f"http://127.0.0.1:{free_port()}",
        "COMPUTE_WORKER_GRPC_URL": f"grpc://127.0.0.1:{free_port()}",
        "COMPUTE_WORKER_PUBLIC_URL": "http://localhost:8081",
        "COMPUTE_WORKER_TOKEN": secrets.token_urlsafe(32),
        "COMPUTE_CREDENTIAL_BROKER_TOKEN": secrets.token_urlsafe(32),
        "CREDENTIAL_BROKER_GRPC_PORT": str(free_port()),
        "TTS_PLAYBACK_TOKEN_SECRET": secrets.token_urlsafe(32),
    }


@pytest.fixture
def settings(environment: dict[str, str]) -> AppSettings:
    return read_app_settings(environment)


@pytest.fixture
async def objects(settings: AppSettings) -> AsyncIterator[ObjectStore]:
    async with open_object_store(settings.storage) as store:
        yield store


@pytest.fixture
async def worker(settings: AppSettings, objects: ObjectStore) -> AsyncIterator[StatefulWorker]:
    """Its gRPC server can be stopped and started again."""
    assert settings.worker.grpc_url
    port = int(settings.worker.grpc_url.rpartition(":")[2])
    worker = StatefulWorker(objects=objects)

    async def serve(stack: AsyncExitStack) -> None:
        await stack.enter_async_context(
            serve_grpc(
                worker.servicers(),
                token_check=bearer_check(settings.worker.token),
                host="127.0.0.1",
                port=port,
                grace_seconds=0,
            )
        )

    worker.serve = serve
    await worker.start()
    try:
        yield worker
    finally:
        await worker.stop()


@pytest.fixture
def new_instance(
    settings: AppSettings, new_instance_with: Callable[[AppSettings], AbstractAsyncContextManager[Instance]]
) -> Callable[[], AbstractAsyncContextManager[Instance]]:
    """The app, started anew over the same data each time."""
    return lambda: new_instance_with(settings)


@pytest.fixture
def new_instance_with(
    worker: StatefulWorker, clock: TurnableClock, migrated_file: Path
) -> Callable[[AppSettings], AbstractAsyncContextManager[Instance]]:
    """The app under any settings that know the same worker."""

    @asynccontextmanager
    async def start(settings: AppSettings) -> AsyncIterator[Instance]:
        if settings.database.path is not None:
            _copy_unless_there(migrated_file, settings.database.path)
        async with AsyncExitStack() as stack:
            app = await stack.enter_async_context(open_app(settings, clock=clock))
            server = await stack.enter_async_context(TestServer(app))

            async def new_browser() -> Browser:
                client = TestClient(server, cookie_jar=CookieJar(unsafe=True))
                await stack.enter_async_context(client)
                return Browser(client=client, origin=BASE_URL)

            yield Instance(new_browser=new_browser, app=app)

    return start


@pytest.fixture
async def one_megabyte(settings: AppSettings, clock: TurnableClock, worker: StatefulWorker) -> None:
    """The limit of uploads, small enough to be reached. Must come before the instance, which reads it when
    first asked."""
    assert settings.database.path
    url = sqlite_url(settings.database.path)
    await migrate(url)
    row = {"key": "maxUploadMb", "value": 1, "source": "admin", "updated_at_ms": 0}
    async with open_database(url) as database, database.write() as connection:
        await connection.execute(insert(runtime_config).values(row))


@pytest.fixture
async def instance(
    new_instance: Callable[[], AbstractAsyncContextManager[Instance]],
) -> AsyncIterator[Instance]:
    async with new_instance() as instance:
        yield instance


@pytest.fixture
async def browser(instance: Instance) -> Browser:
    """Nobody is signed in."""
    return await instance.new_browser()


@pytest.fixture
async def reader(instance: Instance) -> Browser:
    """Somebody is signed in."""
    return await instance.new_reader("reader@example.org")


@pytest.fixture
async def admin(instance: Instance) -> Browser:
    """An administrator, where the environment has administrator.VARIABLES."""
    return await new_administrator(instance)
