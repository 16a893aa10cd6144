"""What a compute worker, embedded or standalone, is told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from shared.configuration.declared import broker, models, provider, worker
from shared.configuration.problem import ConfigurationError
from shared.configuration.reader import read_values
from shared.configuration.settings import (
    BrokerSettings,
    LogSettings,
    StorageSettings,
    broker_settings,
    log_settings,
    secret_texts,
    storage_settings,
)
from shared.configuration.variable import Scope, Values


@dataclass(frozen=True)
class CredentialBrokerClientSettings:
    """url is the app's HTTP endpoint with its path, or grpc(s)://host:port."""

    url: str
    token: str = field(repr=False)
    timeout_ms: int

    @property
    def app_url(self) -> str:
        """Of all services that the app has for workers, not of this one alone."""
        return self.url.removesuffix(worker.CREDENTIALS_PATH)


@dataclass(frozen=True)
class WorkSettings:
    document_timeout_ms: int
    segment_timeout_ms: int
    align_timeout_ms: int
    pdf_job_attempts: int


@dataclass(frozen=True)
class ModelSettings:
    """A base address of None: there is no such model."""

    prewarm: bool
    align_engine: str  # auto, acoustic, model or none
    align_base_url: str | None
    pdf_layout_base_url: str | None
    folder: Path


@dataclass(frozen=True)
class WorkerSettings:
    host: str
    port: int
    grpc_port: int
    token: str = field(repr=False)
    playback_token_secret: str = field(repr=False)
    broker: BrokerSettings
    storage: StorageSettings
    credential_broker: CredentialBrokerClientSettings
    work: WorkSettings
    models: ModelSettings
    media_bin: Path
    log: LogSettings
    secrets: frozenset[str] = field(repr=False)


def read_worker_settings(mapping: Mapping[str, str]) -> WorkerSettings:
    """Raises ConfigurationError with every problem."""
    values, problems = read_values(mapping, Scope.WORKER)
    if problems:
        raise ConfigurationError(problems)
    return _settings(values)


def _settings(values: Values) -> WorkerSettings:
    return WorkerSettings(
        host=values.need(worker.COMPUTE_WORKER_HOST),
        port=values.need(worker.WORKER_PORT),
        grpc_port=values.need(worker.COMPUTE_WORKER_GRPC_PORT),
        token=values.need(worker.COMPUTE_WORKER_TOKEN),
        playback_token_secret=values.need(worker.TTS_PLAYBACK_TOKEN_SECRET),
        broker=broker_settings(values),
        storage=storage_settings(values),
        credential_broker=CredentialBrokerClientSettings(
            url=values.need(worker.COMPUTE_CREDENTIAL_BROKER_URL),
            token=values.need(worker.COMPUTE_CREDENTIAL_BROKER_TOKEN),
            timeout_ms=values.need(worker.COMPUTE_CREDENTIAL_BROKER_TIMEOUT_MS),
        ),
        work=WorkSettings(
            document_timeout_ms=values.need(broker.COMPUTE_PDF_TIMEOUT_MS),
            segment_timeout_ms=values.need(broker.COMPUTE_TTS_PLAYBACK_SEGMENT_TIMEOUT_MS),
            align_timeout_ms=values.need(broker.COMPUTE_ALIGN_TIMEOUT_MS),
            pdf_job_attempts=values.need(broker.COMPUTE_PDF_JOB_ATTEMPTS),
        ),
        models=ModelSettings(
            prewarm=values.need(models.COMPUTE_PREWARM_MODELS),
            align_engine=values.need(models.COMPUTE_ALIGN_ENGINE),
            align_base_url=values.get(models.ALIGN_MODEL_BASE_URL),
            pdf_layout_base_url=values.get(models.PDF_LAYOUT_MODEL_BASE_URL),
            folder=values.need(models.COMPUTE_MODELS_DIR),
        ),
        media_bin=values.need(provider.MEDIA_BIN),
        log=log_settings(values),
        secrets=secret_texts(values),
    )
