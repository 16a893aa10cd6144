"""What the app server is told, the parts that it starts by itself included."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from shared.configuration.declared import accounts, database, library, provider, worker
from shared.configuration.embedded import (
    EmbeddedBroker,
    EmbeddedSettings,
    EmbeddedWorker,
    embedded_broker,
    embedded_object_store,
    worker_environment,
)
from shared.configuration.first_boot_settings import FirstBootSettings, first_boot_settings
from shared.configuration.problem import ConfigurationError, Problem
from shared.configuration.reader import read_values
from shared.configuration.settings import (
    BrowserTransportSettings,
    LogSettings,
    StorageSettings,
    browser_transport_settings,
    log_settings,
    secret_texts,
    storage_settings,
)
from shared.configuration.sign_in_settings import (
    HostingSettings,
    SignInSettings,
    hosting_settings,
    sign_in_settings,
)
from shared.configuration.variable import Scope, Values
from shared.configuration.worker_settings import WorkerSettings, read_worker_settings


@dataclass(frozen=True)
class DatabaseSettings:
    """url is SQLAlchemy's; path is the embedded database's file, or None for an external server."""

    url: str = field(repr=False)
    path: Path | None
    run_migrations: bool


@dataclass(frozen=True)
class WorkerClientSettings:
    """grpc_url None means that calls go through the HTTP gateway at url."""

    url: str
    grpc_url: str | None
    public_url: str
    token: str = field(repr=False)
    playback_token_secret: str = field(repr=False)


@dataclass(frozen=True)
class CredentialBrokerSettings:
    host: str
    grpc_port: int
    token: str = field(repr=False)


@dataclass(frozen=True)
class ProviderBootstrap:
    """base_url is empty when only a key was given."""

    base_url: str
    api_key: str = field(repr=False)
    model: str


@dataclass(frozen=True)
class AppSettings:
    base_url: str
    trusted_origins: frozenset[str]
    auth_secret: str = field(repr=False)
    has_auth_rate_limit: bool
    email_api_url: str
    host: str
    port: int
    database: DatabaseSettings
    storage: StorageSettings
    worker: WorkerClientSettings
    credential_broker: CredentialBrokerSettings
    provider_bootstrap: ProviderBootstrap | None
    media_bin: Path
    log: LogSettings
    embedded: EmbeddedSettings
    secrets: frozenset[str] = field(repr=False)
    run_v4_decommission: bool
    browser_transport: BrowserTransportSettings
    library_dirs: tuple[Path, ...]
    sign_in: SignInSettings
    hosting: HostingSettings
    first_boot: FirstBootSettings


def read_app_settings(mapping: Mapping[str, str]) -> AppSettings:
    """Raises ConfigurationError with every problem, those of the embedded worker included."""
    values, problems = read_values(mapping, Scope.APP)
    server = embedded_broker(values)
    embedded_worker = None
    if worker.has_embedded_worker(values):
        environment = worker_environment(mapping, values, server)
        settings = _read_embedded_worker(environment, problems)
        embedded_worker = EmbeddedWorker(settings, environment) if settings else None
    if problems:
        raise ConfigurationError(problems)
    embedded = EmbeddedSettings(server, embedded_object_store(values), embedded_worker)
    return _settings(values, embedded, _secrets(values, server))


def _read_embedded_worker(environment: Mapping[str, str], problems: list[Problem]) -> WorkerSettings | None:
    """Adds the problems of the worker's own variables; what the app hands over it has checked already."""
    try:
        return read_worker_settings(environment)
    except ConfigurationError as error:
        known = {problem.name for problem in problems}
        written_by_app = {
            variable.name
            for variable in worker.VARIABLES
            if variable.required is not None and variable.secret
        }
        problems += [
            problem
            for problem in error.problems
            if problem.name not in known and (problem.name not in written_by_app or not problems)
        ]
        return None


def _settings(values: Values, embedded: EmbeddedSettings, secrets: frozenset[str]) -> AppSettings:
    base_url = values.need(accounts.BASE_URL)
    return AppSettings(
        base_url=base_url,
        trusted_origins=frozenset({base_url, *values.need(accounts.AUTH_TRUSTED_ORIGINS)}),
        auth_secret=values.need(accounts.AUTH_SECRET),
        has_auth_rate_limit=not values.need(accounts.DISABLE_AUTH_RATE_LIMIT),
        email_api_url=values.need(accounts.ACCOUNT_EMAIL_API_URL),
        host=values.need(accounts.APP_HOST),
        port=values.need(accounts.APP_PORT),
        database=_database(values),
        storage=storage_settings(values),
        worker=WorkerClientSettings(
            url=values.need(worker.COMPUTE_WORKER_URL),
            grpc_url=values.get(worker.COMPUTE_WORKER_GRPC_URL),
            public_url=values.need(worker.COMPUTE_WORKER_PUBLIC_URL),
            token=values.need(worker.COMPUTE_WORKER_TOKEN),
            playback_token_secret=values.need(worker.TTS_PLAYBACK_TOKEN_SECRET),
        ),
        credential_broker=CredentialBrokerSettings(
            host="127.0.0.1",
            grpc_port=values.need(worker.CREDENTIAL_BROKER_GRPC_PORT),
            token=values.need(worker.COMPUTE_CREDENTIAL_BROKER_TOKEN),
        ),
        provider_bootstrap=_provider_bootstrap(values),
        media_bin=values.need(provider.MEDIA_BIN),
        log=log_settings(values),
        embedded=embedded,
        secrets=secrets,
        run_v4_decommission=values.need(database.RUN_V4_DECOMMISSION),
        browser_transport=browser_transport_settings(values),
        library_dirs=tuple(folder.absolute() for folder in values.need(library.IMPORT_LIBRARY_DIRS)),
        sign_in=sign_in_settings(values),
        hosting=hosting_settings(values),
        first_boot=first_boot_settings(values),
    )


def _database(values: Values) -> DatabaseSettings:
    server_url = values.get(database.SERVER_DB_URL)
    path = None if server_url else values.need(database.EMBEDDED_DB_PATH).absolute()
    return DatabaseSettings(
        url=server_url or f"sqlite+aiosqlite:///{path}",
        path=path,
        run_migrations=values.need(database.RUN_DB_MIGRATIONS),
    )


def _provider_bootstrap(values: Values) -> ProviderBootstrap | None:
    base_url, api_key = values.get(provider.API_BASE), values.get(provider.API_KEY)
    if not base_url and not api_key:
        return None
    return ProviderBootstrap(base_url or "", api_key or "", values.need(provider.API_MODEL_NAME))


def _secrets(values: Values, server: EmbeddedBroker | None) -> frozenset[str]:
    administrator = first_boot_settings(values).administrator
    more = (server.password if server else None, administrator.password if administrator else None)
    return secret_texts(values) | {text for text in more if text}
