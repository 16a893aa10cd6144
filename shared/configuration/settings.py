"""Groups of settings that both processes have. Frozen; secrets do not show in a repr."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from shared.configuration.declaration import variables_of
from shared.configuration.declared import broker, logging, storage
from shared.configuration.variable import Scope, Values


@dataclass(frozen=True)
class LogSettings:
    format: str  # pretty or json
    level: str  # debug, info, warning or error


@dataclass(frozen=True)
class StorageSettings:
    """endpoint None means the region's AWS endpoint."""

    endpoint: str | None
    bucket: str
    region: str
    access_key: str = field(repr=False)
    secret_key: str = field(repr=False)
    prefix: str
    force_path_style: bool
    auto_create_bucket: bool


@dataclass(frozen=True)
class BrokerSettings:
    """urls hold no credentials; those are user and password, token alone, or creds.

    creds is the content of a credentials file or the path of one.
    """

    urls: tuple[str, ...]
    user: str | None
    password: str | None = field(repr=False)
    token: str | None = field(repr=False)
    creds: str | Path | None = field(repr=False)
    jobs_max_bytes: int
    events_max_bytes: int
    state_max_bytes: int
    replicas: int
    stale_ms: int

    @property
    def connect_options(self) -> Mapping[str, object]:
        """Keyword arguments for nats.connect."""
        credentials = {
            "user": self.user,
            "password": self.password,
            "token": self.token,
            "user_credentials": self._creds,
        }
        return {"servers": list(self.urls)} | {key: value for key, value in credentials.items() if value}

    @property
    def _creds(self) -> object:
        if not isinstance(self.creds, str):
            return self.creds
        from nats.aio.client import RawCredentials  # noqa: PLC0415  # heavy, and few need it

        return RawCredentials(self.creds)


def log_settings(values: Values) -> LogSettings:
    level = logging.LOG_LEVEL if values.scope is Scope.APP else logging.COMPUTE_LOG_LEVEL
    return LogSettings(format=values.need(logging.LOG_FORMAT), level=values.need(level))


def storage_settings(values: Values) -> StorageSettings:
    return StorageSettings(
        endpoint=values.get(storage.S3_INTERNAL_ENDPOINT),
        bucket=values.need(storage.S3_BUCKET),
        region=values.need(storage.S3_REGION),
        access_key=values.need(storage.S3_ACCESS_KEY_ID),
        secret_key=values.need(storage.S3_SECRET_ACCESS_KEY),
        prefix=values.need(storage.S3_PREFIX),
        force_path_style=values.need(storage.S3_FORCE_PATH_STYLE),
        auto_create_bucket=values.need(storage.S3_AUTO_CREATE_BUCKET),
    )


def broker_settings(values: Values) -> BrokerSettings:
    servers = [urlsplit(url) for url in values.need(broker.BROKER_URL).split(",")]
    user, password = servers[0].username, servers[0].password
    return BrokerSettings(
        urls=tuple(f"{server.scheme}://{server.netloc.rpartition('@')[2]}" for server in servers),
        user=unquote(user) if user and password else None,
        password=unquote(password) if password else None,
        token=unquote(user) if user and not password else None,
        creds=values.get(broker.BROKER_CREDS) or values.get(broker.BROKER_CREDS_FILE),
        jobs_max_bytes=values.need(broker.COMPUTE_JOBS_STREAM_MAX_BYTES),
        events_max_bytes=values.need(broker.COMPUTE_EVENTS_STREAM_MAX_BYTES),
        state_max_bytes=values.need(broker.COMPUTE_JOB_STATES_MAX_BYTES),
        replicas=values.need(broker.COMPUTE_BROKER_REPLICAS),
        stale_ms=values.need(broker.COMPUTE_OP_STALE_MS),
    )


@dataclass(frozen=True)
class BrowserTransportSettings:
    """How documents travel between browsers and the store.

    endpoint is the address that presigned URLs name; None means the region's AWS endpoint.
    """

    is_presigned: bool
    endpoint: str | None


def browser_transport_settings(values: Values) -> BrowserTransportSettings:
    public = values.get(storage.S3_PUBLIC_ENDPOINT)
    return BrowserTransportSettings(
        is_presigned=storage.is_presigned(values),
        endpoint=public or storage.advertised_endpoint(values) or values.get(storage.S3_INTERNAL_ENDPOINT),
    )


def secret_texts(values: Values) -> frozenset[str]:
    """What must never appear in a log line. Of addresses only what stands before the @."""
    found: set[str] = set()
    for variable in variables_of(values.scope):
        value = values.get(variable) if variable.secret else None
        if not isinstance(value, str):
            continue
        if variable.name.endswith("_URL"):
            found.update(_url_secrets(value))
        else:
            found.add(value)
    return frozenset(found - {""})


def _url_secrets(urls: str) -> Iterator[str]:
    for url in urls.split(","):
        parts = urlsplit(url)
        if parts.password or not parts.scheme.startswith("postgres"):  # a broker's user may be a token
            yield parts.netloc.rpartition("@")[0]
        if parts.password:
            yield from (parts.password, unquote(parts.password))
