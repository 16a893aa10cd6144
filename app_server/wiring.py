"""The composition root of the app server: the only place that picks implementations."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog
from aiohttp import web
from aiohttp_session import setup as setup_sessions
from sqlalchemy import text
from sqlalchemy.engine import URL, make_url

from app_server.accounts.housekeeping import keep_accounts_tidy
from app_server.accounts.passwords import Passwords
from app_server.accounts.rate_limits import AuthRateLimits
from app_server.accounts.routes import AccountRoutes
from app_server.accounts.service import AccountService
from app_server.accounts.session_storage import DatabaseSessionStorage
from app_server.accounts.sql_store import SqlAccountStore, SqlAttemptStore, SqlSessionStore
from app_server.background import BackgroundTasks
from app_server.clock import Clock, now_ms
from app_server.database.engine import Database, open_database, server_url
from app_server.database.migrate import migrate
from app_server.http.application import create_application
from app_server.http.client_address import ClientAddresses
from app_server.http.health import HealthRoutes
from app_server.pages.routes import PageRoutes
from app_server.site_features.service import SiteFeatureService
from app_server.site_features.sql_store import SqlFeatureStore
from app_server.version import program_version
from shared.configuration.app_settings import AppSettings

_SHUTDOWN_SECONDS = 3.0
_log = structlog.get_logger(__name__)


async def run_app(settings: AppSettings, stop: asyncio.Event) -> None:
    """Serves until stop is set."""
    async with open_app(settings) as app:
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)
        await runner.setup()
        try:
            await web.TCPSite(runner, settings.host, settings.port).start()
            _log.info("Lectern is ready", address=settings.base_url)
            await stop.wait()
        finally:
            await runner.cleanup()


@asynccontextmanager
async def open_app(settings: AppSettings, *, clock: Clock = now_ms) -> AsyncIterator[web.Application]:
    """The whole application without its listening socket."""
    async with AsyncExitStack() as stack:
        url = database_url(settings)
        if settings.database.run_migrations:
            await migrate(url)
        database = await stack.enter_async_context(open_database(url))
        background = await stack.enter_async_context(BackgroundTasks())
        app = create_application(
            base_url=settings.base_url,
            trusted_origins=settings.trusted_origins,
            worker_public_url=settings.worker.public_url,
        )
        features = SiteFeatureService(store=SqlFeatureStore(database=database), clock=clock)
        pages = PageRoutes()
        _add_accounts(
            app, settings=settings, database=database, features=features, background=background, clock=clock
        )
        pages.add_to(app)
        _health(database).add_to(app)
        yield app


def database_url(settings: AppSettings) -> URL:
    if settings.database.path is None:
        return server_url(settings.database.url)
    return make_url(settings.database.url)


def _add_accounts(
    app: web.Application,
    *,
    settings: AppSettings,
    database: Database,
    features: SiteFeatureService,
    background: BackgroundTasks,
    clock: Clock,
) -> None:
    attempts, sessions = SqlAttemptStore(database=database), SqlSessionStore(database=database)
    storage = DatabaseSessionStorage(
        store=sessions, clock=clock, is_https=settings.base_url.startswith("https:")
    )
    setup_sessions(app, storage)
    app.on_response_prepare.append(storage.show_renewal)
    service = AccountService(
        store=SqlAccountStore(database=database),
        passwords=Passwords(),
        limits=AuthRateLimits(store=attempts, clock=clock, enabled=settings.has_auth_rate_limit),
        features=features,
        clock=clock,
        new_id=_new_id,
    )
    routes = AccountRoutes(
        service=service, features=features, addresses=ClientAddresses(), version=program_version()
    )
    routes.add_to(app)
    background.start(keep_accounts_tidy(sessions=sessions, attempts=attempts, clock=clock))


def _health(database: Database) -> HealthRoutes:
    async def ask_database() -> None:
        async with database.read() as connection:
            await connection.execute(text("SELECT 1"))

    return HealthRoutes(required={"database": ask_database}, optional={}, version=program_version())


def _new_id() -> str:
    return uuid.uuid4().hex
