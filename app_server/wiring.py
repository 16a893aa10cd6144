"""The composition root of the app server: the only place that picks implementations."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import aiohttp
import structlog
from aiohttp import web
from sqlalchemy import text

from app_server.accounts.housekeeping import keep_accounts_tidy
from app_server.accounts.passwords import Passwords
from app_server.accounts.rate_limits import AuthRateLimits
from app_server.accounts.routes import AccountRoutes
from app_server.accounts.service import AccountService
from app_server.accounts.session_storage import DatabaseSessionStorage, setup_session_cookies
from app_server.accounts.sql_store import SqlAccountStore, SqlAttemptStore, SqlSessionStore
from app_server.background import BackgroundTasks
from app_server.clock import Clock, now_ms
from app_server.database.engine import Database, database_url, open_database
from app_server.database.migrate import migrate, require_current
from app_server.first_boot.reading import read_seed
from app_server.first_boot.service import FirstBoot
from app_server.first_boot.sql_store import SqlFirstBootStore
from app_server.http.application import create_application
from app_server.http.client_address import ClientAddresses
from app_server.http.health import HealthRoutes
from app_server.library.changes import DocumentChanges
from app_server.library.direct_upload_routes import DirectUploadRoutes
from app_server.library.file_routes import FileRoutes
from app_server.library.parsing import ParsingWatcher
from app_server.library.reading_routes import ReadingRoutes
from app_server.library.readings import ReadingFiles
from app_server.library.retired_objects import remove_retired_objects
from app_server.library.routes import DocumentRoutes
from app_server.library.service import LibraryService
from app_server.library.sql_store import SqlDocumentStore
from app_server.library.stale_uploads import keep_uploads_tidy
from app_server.library.upload_tickets import UploadTickets
from app_server.library.uploads import UploadReceiver
from app_server.pages.routes import PageRoutes
from app_server.playback.audio_passthrough import AudioPassthrough
from app_server.playback.routes import PlaybackRoutes
from app_server.playback.service import PlaybackService
from app_server.playback.sql_store import SqlPlaybackSessionStore
from app_server.playback.voice_routes import VoiceRoutes
from app_server.providers.service import ProviderService
from app_server.providers.servicer import CredentialBrokerServicer
from app_server.providers.sql_store import SqlProviderStore
from app_server.secrets.sealing import SecretSealer
from app_server.secrets.stored import warn_of_unreadable_secrets
from app_server.site_features.service import SiteFeatureService
from app_server.site_features.sql_store import SqlFeatureStore
from app_server.version import program_version
from app_server.worker.clients import WorkerClients, worker_clients
from shared.configuration.app_settings import AppSettings
from shared.configuration.settings import StorageSettings
from shared.objects.ports import ObjectStore
from shared.objects.presigner import Presigner, open_presigner
from shared.objects.s3_store import S3Options, open_s3_store
from shared.playback_token import PlaybackTokens
from shared.rpc.channel import open_channel
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
async def open_app(settings: AppSettings, *, clock: Clock = now_ms) -> AsyncIterator[web.Application]:
    """The whole application without its HTTP socket; the credential broker's gRPC port is open."""
    async with AsyncExitStack() as stack:
        parts = _Parts(
            settings=settings,
            clock=clock,
            database=await stack.enter_async_context(open_prepared_database(settings, clock=clock)),
            objects=await stack.enter_async_context(open_object_store(settings.storage)),
            worker=await stack.enter_async_context(_worker(settings)),
            background=await stack.enter_async_context(BackgroundTasks()),
            presigner=await stack.enter_async_context(_presigner(settings)),
        )
        http = await stack.enter_async_context(aiohttp.ClientSession(auto_decompress=False))
        await parts.warn_of_unreadable_secrets()
        app = create_application(
            base_url=settings.base_url,
            trusted_origins=settings.trusted_origins,
            worker_public_url=settings.worker.public_url,
            store_origin=parts.store_origin,
        )
        parts.add_accounts(app)
        parts.add_library_and_playback(app)
        AudioPassthrough(http=http, worker_url=settings.worker.url).add_to(app)
        PageRoutes().add_to(app)
        parts.health().add_to(app)
        broker = settings.credential_broker
        token_check = bearer_check(broker.token)
        servicers = [parts.credential_broker()]
        add_gateway(app, servicers, token_check=token_check)
        await stack.enter_async_context(
            serve_grpc(servicers, token_check=token_check, host=broker.host, port=broker.grpc_port)
        )
        yield app


class _Parts:
    """What several domains share, and each domain put together from it."""

    def __init__(
        self,
        *,
        settings: AppSettings,
        clock: Clock,
        database: Database,
        objects: ObjectStore,
        worker: WorkerClients,
        background: BackgroundTasks,
        presigner: Presigner | None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._database = database
        self._objects = objects
        self._worker = worker
        self._background = background
        self._presigner = presigner
        self._sealer = SecretSealer(auth_secret=settings.auth_secret)
        self._features = SiteFeatureService(store=SqlFeatureStore(database=database), clock=clock)
        self._provider_store = SqlProviderStore(database=database)
        self._providers = ProviderService(
            store=self._provider_store, features=self._features, sealer=self._sealer
        )

    async def warn_of_unreadable_secrets(self) -> None:
        await warn_of_unreadable_secrets(self._database, self._sealer)

    def credential_broker(self) -> CredentialBrokerServicer:
        return CredentialBrokerServicer(
            providers=self._providers, features=self._features, sealer=self._sealer
        )

    def add_accounts(self, app: web.Application) -> None:
        """First of all routes: it adds the middleware that knows who asks."""
        sessions = SqlSessionStore(database=self._database)
        attempts = SqlAttemptStore(database=self._database)
        storage = DatabaseSessionStorage(
            store=sessions, clock=self._clock, is_https=self._settings.base_url.startswith("https:")
        )
        setup_session_cookies(app, storage)
        service = AccountService(
            store=SqlAccountStore(database=self._database),
            passwords=Passwords(),
            limits=AuthRateLimits(
                store=attempts, clock=self._clock, enabled=self._settings.has_auth_rate_limit
            ),
            features=self._features,
            clock=self._clock,
            new_id=_new_id,
        )
        AccountRoutes(
            service=service,
            features=self._features,
            addresses=ClientAddresses(trusted_proxies=self._settings.hosting.trusted_proxies),
            version=program_version(),
            upload_transport="presigned" if self._presigner else "proxy",
        ).add_to(app)
        self._background.start(self._features.keep_fresh())
        self._background.start(keep_accounts_tidy(sessions=sessions, attempts=attempts, clock=self._clock))

    def add_library_and_playback(self, app: web.Application) -> None:
        store, changes = SqlDocumentStore(database=self._database), DocumentChanges()
        watcher = ParsingWatcher(
            store=store,
            worker=self._worker,
            readings=ReadingFiles(objects=self._objects),
            changes=changes,
            background=self._background,
        )
        library = LibraryService(
            store=store,
            objects=self._objects,
            locks=self._database,
            watcher=watcher,
            changes=changes,
            clock=self._clock,
            new_id=_new_id,
        )
        receiver = UploadReceiver(objects=self._objects)
        DirectUploadRoutes(
            presigner=self._presigner,
            tickets=UploadTickets(auth_secret=self._settings.auth_secret, clock=self._clock),
            service=library,
            receiver=receiver,
            changes=changes,
            features=self._features,
            clock=self._clock,
        ).add_to(app)
        DocumentRoutes(
            service=library,
            receiver=receiver,
            watcher=watcher,
            changes=changes,
            features=self._features,
            clock=self._clock,
        ).add_to(app)
        ReadingRoutes(service=library, objects=self._objects).add_to(app)
        FileRoutes(service=library, objects=self._objects, presigner=self._presigner).add_to(app)
        self._add_playback(app, library)
        self._background.start(watcher.sweep())
        self._background.start(keep_uploads_tidy(self._objects, now_ms))
        if self._settings.run_v4_decommission:
            self._background.start(remove_retired_objects(self._objects))

    def _add_playback(self, app: web.Application, library: LibraryService) -> None:
        settings = self._settings.worker
        service = PlaybackService(
            store=SqlPlaybackSessionStore(database=self._database),
            library=library,
            providers=self._providers,
            features=self._features,
            worker=self._worker,
            tokens=PlaybackTokens(secret=settings.playback_token_secret, clock=lambda: self._clock() / 1000),
            worker_public_url=settings.public_url,
            clock=self._clock,
        )
        PlaybackRoutes(service=service, worker=self._worker).add_to(app)
        VoiceRoutes(providers=self._providers, worker=self._worker).add_to(app)

    @property
    def store_origin(self) -> str:
        return self._presigner.origin if self._presigner else ""

    def health(self) -> HealthRoutes:
        async def ask_database() -> None:
            async with self._database.read() as connection:
                await connection.execute(text("SELECT 1"))

        async def ask_object_store() -> None:
            await self._objects.info("health")

        return HealthRoutes(
            required={"database": ask_database, "objectStorage": ask_object_store},
            optional={},
            version=program_version(),
        )


@asynccontextmanager
async def open_prepared_database(settings: AppSettings, *, clock: Clock = now_ms) -> AsyncIterator[Database]:
    """Up to date, and with what the first start takes in. Killed on the way, the next start begins there."""
    url = database_url(settings.database)
    if settings.database.run_migrations:
        await migrate(url)
    else:
        await require_current(url)
    async with open_database(url) as database:
        first_boot = FirstBoot(
            store=SqlFirstBootStore(database=database),
            sealer=SecretSealer(auth_secret=settings.auth_secret),
            passwords=Passwords(),
            clock=clock,
            new_id=_new_id,
        )
        await first_boot.take_in(
            seed=read_seed(settings.first_boot.seed),
            provider=settings.provider_bootstrap,
            administrator=settings.first_boot.administrator,
        )
        yield database


@asynccontextmanager
async def open_object_store(settings: StorageSettings) -> AsyncIterator[ObjectStore]:
    async with open_s3_store(_store_options(settings, settings.endpoint)) as store:
        await store.ensure_bucket(create=settings.auto_create_bucket)
        yield store


@asynccontextmanager
async def _presigner(settings: AppSettings) -> AsyncIterator[Presigner | None]:
    transport = settings.browser_transport
    if not transport.is_presigned:
        yield None
        return
    async with open_presigner(_store_options(settings.storage, transport.endpoint)) as presigner:
        yield presigner


def _store_options(settings: StorageSettings, endpoint: str | None) -> S3Options:
    return S3Options(
        endpoint_url=endpoint,
        region=settings.region,
        bucket=settings.bucket,
        access_key_id=settings.access_key,
        secret_access_key=settings.secret_key,
        prefix=settings.prefix,
        force_path_style=settings.force_path_style,
    )


@asynccontextmanager
async def _worker(settings: AppSettings) -> AsyncIterator[WorkerClients]:
    address = settings.worker.grpc_url or settings.worker.url
    async with open_channel(address, settings.worker.token) as channel:
        yield worker_clients(channel)


def _new_id() -> str:
    return uuid.uuid4().hex
