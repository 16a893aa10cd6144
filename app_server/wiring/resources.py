"""What is opened before anything is served, and closed after it: database, object store, worker."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app_server.accounts.passwords import Passwords
from app_server.clock import Clock, now_ms
from app_server.database.engine import Database, database_url, open_database
from app_server.database.migrate import migrate, require_current
from app_server.first_boot.reading import read_seed
from app_server.first_boot.service import FirstBoot
from app_server.first_boot.sql_store import SqlFirstBootStore
from app_server.ids import new_id
from app_server.secrets.sealing import SecretSealer
from app_server.worker.clients import WorkerClients, worker_clients
from shared.configuration.app_settings import AppSettings
from shared.configuration.settings import StorageSettings
from shared.objects.ports import ObjectStore
from shared.objects.presigner import Presigner, open_presigner
from shared.objects.s3_store import S3Options, open_s3_store
from shared.rpc.channel import open_channel


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
            new_id=new_id,
        )
        await first_boot.take_in(
            seed=read_seed(settings.first_boot.seed),
            provider=settings.provider_bootstrap,
            administrator=settings.first_boot.administrator,
        )
        yield database


@asynccontextmanager
async def open_object_store(settings: StorageSettings) -> AsyncIterator[ObjectStore]:
    async with open_s3_store(S3Options.of(settings)) as store:
        await store.ensure_bucket(create=settings.auto_create_bucket)
        yield store


@asynccontextmanager
async def open_browser_presigner(settings: AppSettings) -> AsyncIterator[Presigner | None]:
    """None where files go through the app."""
    transport = settings.browser_transport
    if not transport.is_presigned:
        yield None
        return
    async with open_presigner(S3Options.of(settings.storage, endpoint=transport.endpoint)) as presigner:
        yield presigner


@asynccontextmanager
async def open_worker(settings: AppSettings) -> AsyncIterator[WorkerClients]:
    address = settings.worker.grpc_url or settings.worker.url
    async with open_channel(address, settings.worker.token) as channel:
        yield worker_clients(channel)
