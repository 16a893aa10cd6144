"""What several domains of the app server are built upon."""

import aiohttp

from app_server.background import BackgroundTasks
from app_server.clock import Clock
from app_server.compute_limits.callers import Callers
from app_server.compute_limits.service import LimitService
from app_server.compute_limits.speech_meter import SpeechMeter
from app_server.compute_limits.sql_ledger import SqlLimitLedger
from app_server.database.engine import Database
from app_server.http.client_address import ClientAddresses
from app_server.library.stored_files import StoredFileSender
from app_server.providers.service import ProviderService
from app_server.providers.sql_store import SqlProviderStore
from app_server.secrets.sealing import SecretSealer
from app_server.site_features.service import SiteFeatureService
from app_server.site_features.sql_store import SqlFeatureStore
from app_server.worker.clients import WorkerClients
from shared.configuration.app_settings import AppSettings
from shared.objects.ports import ObjectStore
from shared.objects.presigner import Presigner


class Foundations:
    """Open resources, and the services that more than one domain asks."""

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
        http: aiohttp.ClientSession,
    ) -> None:
        """presigner is None where files go through the app."""
        self.settings = settings
        self.clock = clock
        self.database = database
        self.objects = objects
        self.worker = worker
        self.background = background
        self.presigner = presigner
        self.http = http
        self.file_sender = StoredFileSender(objects=objects, presigner=presigner)
        self.addresses = ClientAddresses(trusted_proxies=settings.hosting.trusted_proxies)
        self.sealer = SecretSealer(auth_secret=settings.auth_secret)
        self.features = SiteFeatureService(store=SqlFeatureStore(database=database), clock=clock)
        ledger = SqlLimitLedger(database=database)
        self.limits = LimitService(ledger=ledger, features=self.features, clock=clock)
        self.meter = SpeechMeter(ledger=ledger, features=self.features, clock=clock)
        self.callers = Callers(
            auth_secret=settings.auth_secret,
            addresses=self.addresses,
            is_https=settings.base_url.startswith("https:"),
        )
        self.providers = ProviderService(
            store=SqlProviderStore(database=database), features=self.features, sealer=self.sealer
        )
