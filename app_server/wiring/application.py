"""The whole app server, put together domain by domain, and served."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import aiohttp
import structlog
from aiohttp import web

from app_server.background import BackgroundTasks
from app_server.clock import Clock, now_ms
from app_server.http.application import create_application
from app_server.imports.page_fetcher import PageFetcher
from app_server.playback.audio_passthrough import AudioPassthrough
from app_server.secrets.stored import warn_of_unreadable_secrets
from app_server.wiring.accounts import add_accounts
from app_server.wiring.administration import add_administration
from app_server.wiring.api_tokens import add_api_tokens
from app_server.wiring.compute_limits import add_compute_limits
from app_server.wiring.foundations import Foundations
from app_server.wiring.health import health_routes
from app_server.wiring.library import add_library
from app_server.wiring.own_account import add_own_account
from app_server.wiring.pages import add_pages, add_region_gate
from app_server.wiring.playback import add_playback
from app_server.wiring.providers import credential_broker, speech_meter, work_policy
from app_server.wiring.recordings import add_recordings
from app_server.wiring.resources import (
    open_browser_presigner,
    open_object_store,
    open_prepared_database,
    open_worker,
)
from app_server.wiring.system_check import system_check
from app_server.wiring.tasks import add_tasks
from shared.configuration.app_settings import AppSettings
from shared.rpc.gateway import add_gateway
from shared.rpc.server import serve_grpc
from shared.rpc.tokens import bearer_check

_SHUTDOWN_SECONDS = 3.0
_log = structlog.get_logger(__name__)


async def run_app(settings: AppSettings, stop: asyncio.Event) -> None:
    """Serves until stop is set. Doesn't need the worker to be up."""
    async with open_app(settings) as app:
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)
        await runner.setup()
        try:
            await web.TCPSite(runner, settings.host, settings.port).start()
            _log.info("listening", host=settings.host, port=settings.port)
            await stop.wait()
        finally:
            await runner.cleanup()


@asynccontextmanager
async def open_app(
    settings: AppSettings, *, clock: Clock = now_ms, fetcher: PageFetcher | None = None
) -> AsyncIterator[web.Application]:
    """The whole application without its HTTP socket; the credential broker's gRPC port is open.

    fetcher: in the place of the one that goes to the public web alone.
    """
    async with AsyncExitStack() as stack:
        base = Foundations(
            settings=settings,
            clock=clock,
            database=await stack.enter_async_context(open_prepared_database(settings, clock=clock)),
            objects=await stack.enter_async_context(open_object_store(settings.storage)),
            worker=await stack.enter_async_context(open_worker(settings)),
            background=await stack.enter_async_context(BackgroundTasks()),
            presigner=await stack.enter_async_context(open_browser_presigner(settings)),
            http=await stack.enter_async_context(aiohttp.ClientSession(auto_decompress=False)),
        )
        await warn_of_unreadable_secrets(base.database, base.sealer)
        app = create_application(
            base_url=settings.base_url,
            trusted_origins=settings.trusted_origins,
            worker_public_url=settings.worker.public_url,
            store_origin=base.presigner.origin if base.presigner else "",
        )
        add_region_gate(app, base)
        # First of all routes: it adds the middleware that knows who asks.
        accounts = await add_accounts(app, base)
        add_api_tokens(app, base)
        library = add_library(app, base, fetcher=fetcher or PageFetcher())
        add_playback(app, base, library)
        add_recordings(app, base, library)
        add_own_account(app, base, accounts, library)
        add_administration(app, base, accounts, library)
        add_compute_limits(app, base)
        add_tasks(app, base, library)
        (await stack.enter_async_context(system_check(base))).add_to(app)
        AudioPassthrough(http=base.http, worker_url=settings.worker.url).add_to(app)
        add_pages(app, base)
        health_routes(base).add_to(app)
        broker = settings.credential_broker
        token_check = bearer_check(broker.token)
        servicers = [credential_broker(base), speech_meter(base), work_policy(base)]
        add_gateway(app, servicers, token_check=token_check)
        await stack.enter_async_context(
            serve_grpc(servicers, token_check=token_check, host=broker.host, port=broker.grpc_port)
        )
        yield app
