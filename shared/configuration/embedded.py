"""What the app starts by itself, and the exact environment of its worker."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from shared.configuration.declaration import variables_of
from shared.configuration.declared import broker, logging, provider, storage, worker
from shared.configuration.secrets import generate_secret
from shared.configuration.variable import Scope, Values
from shared.configuration.worker_settings import WorkerSettings

BROKER_USER = "lectern"


@dataclass(frozen=True)
class EmbeddedBroker:
    port: int
    monitor_port: int
    store_dir: Path
    user: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class EmbeddedObjectStore:
    host: str
    port: int
    directory: Path
    wait_seconds: int


@dataclass(frozen=True)
class EmbeddedWorker:
    """environment holds variables of ours only; what the system needs is added at the start."""

    settings: WorkerSettings
    environment: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True)
class EmbeddedSettings:
    """None where an external service is configured."""

    broker: EmbeddedBroker | None
    object_store: EmbeddedObjectStore | None
    worker: EmbeddedWorker | None


def embedded_broker(values: Values) -> EmbeddedBroker | None:
    if not broker.has_embedded_broker(values):
        return None
    return EmbeddedBroker(
        port=values.need(broker.EMBEDDED_BROKER_PORT),
        monitor_port=values.need(broker.EMBEDDED_BROKER_MONITOR_PORT),
        store_dir=values.need(broker.EMBEDDED_BROKER_STORE_DIR).absolute(),
        user=BROKER_USER,
        password=generate_secret(),
    )


def embedded_object_store(values: Values) -> EmbeddedObjectStore | None:
    if not storage.has_embedded_store(values):
        return None
    return EmbeddedObjectStore(
        host=values.need(storage.OBJSTORE_BIND_HOST),
        port=values.need(storage.OBJSTORE_PORT),
        directory=values.need(storage.OBJSTORE_DIR).absolute(),
        wait_seconds=values.need(storage.OBJSTORE_WAIT_SEC),
    )


def worker_environment(
    mapping: Mapping[str, str], values: Values, server: EmbeddedBroker | None
) -> dict[str, str]:
    """The worker's own variables as they are written for the app, and what the app decides for it."""
    own = {variable.name for variable in variables_of(Scope.WORKER)} - {"PORT"}
    if server:  # it has a user and a password
        own -= {broker.BROKER_CREDS.name, broker.BROKER_CREDS_FILE.name}
    decided = {
        worker.WORKER_PORT: str(values.need(worker.EMBEDDED_COMPUTE_WORKER_PORT)),
        worker.COMPUTE_WORKER_GRPC_PORT: str(values.need(worker.COMPUTE_WORKER_GRPC_PORT)),
        worker.COMPUTE_WORKER_HOST: mapping.get(worker.COMPUTE_WORKER_HOST.name) or "127.0.0.1",
        worker.COMPUTE_WORKER_TOKEN: values.get(worker.COMPUTE_WORKER_TOKEN),
        worker.COMPUTE_CREDENTIAL_BROKER_TOKEN: values.get(worker.COMPUTE_CREDENTIAL_BROKER_TOKEN),
        worker.COMPUTE_CREDENTIAL_BROKER_URL: (
            f"grpc://127.0.0.1:{values.need(worker.CREDENTIAL_BROKER_GRPC_PORT)}"
        ),
        worker.TTS_PLAYBACK_TOKEN_SECRET: values.get(worker.TTS_PLAYBACK_TOKEN_SECRET),
        storage.S3_INTERNAL_ENDPOINT: values.get(storage.S3_INTERNAL_ENDPOINT),
        storage.S3_ACCESS_KEY_ID: values.get(storage.S3_ACCESS_KEY_ID),
        storage.S3_SECRET_ACCESS_KEY: values.get(storage.S3_SECRET_ACCESS_KEY),
        storage.S3_BUCKET: values.get(storage.S3_BUCKET),
        storage.S3_REGION: values.get(storage.S3_REGION),
        storage.S3_FORCE_PATH_STYLE: str(values.need(storage.S3_FORCE_PATH_STYLE)).lower(),
        broker.BROKER_URL: _broker_url(server) if server else values.get(broker.BROKER_URL),
        provider.MEDIA_BIN: str(values.get(provider.MEDIA_BIN) or ""),
        logging.LOG_FORMAT: "json",  # the supervisor reads it and writes it again in the app's format
        logging.COMPUTE_LOG_LEVEL: mapping.get(logging.COMPUTE_LOG_LEVEL.name)
        or values.need(logging.LOG_LEVEL),
    }
    written = {name: text for name, text in mapping.items() if name in own}
    return written | {variable.name: text for variable, text in decided.items() if text}


def _broker_url(server: EmbeddedBroker) -> str:
    return f"nats://{quote(server.user)}:{quote(server.password)}@127.0.0.1:{server.port}"
