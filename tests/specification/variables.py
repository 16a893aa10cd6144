"""The tables of the specification, as data: every variable, who reads it, and its default.

The default is what an instance with only BASE_URL and AUTH_SECRET has, or a standalone worker for what only
it reads. GENERATED is another value at every start; DERIVED the same one for the same AUTH_SECRET.
"""

from dataclasses import dataclass

UNSET = None
GENERATED = object()
DERIVED = object()
DETECTED = object()


@dataclass(frozen=True)
class Row:
    name: str
    readers: frozenset[str]
    default: object


def _row(name: str, readers: str, default: object) -> Row:
    return Row(name, frozenset(readers.split()), default)


# 2.1 Logging to 2.7 Runtime seed document, 5 Authentication, 8 Limits; in the order of the specification.
SPECIFIED = (
    _row("BASE_URL", "app", "http://localhost:3003"),  # required
    _row("AUTH_SECRET", "app", "a-random-text-of-some-length"),  # required
    _row("LOG_FORMAT", "app worker", "pretty"),
    _row("LOG_LEVEL", "app", "info"),
    _row("COMPUTE_LOG_LEVEL", "worker", "info"),
    _row("API_BASE", "app", UNSET),
    _row("API_KEY", "app", UNSET),
    _row("API_MODEL_NAME", "app", "kokoro"),
    _row("SERVER_DB_URL", "app", UNSET),
    _row("EMBEDDED_DB_PATH", "app", "docstore/sqlite3.db"),
    _row("RUN_DB_MIGRATIONS", "app", "true"),
    _row("RUN_V4_DECOMMISSION", "app", "true"),
    _row("USE_EMBEDDED_OBJSTORE", "app", "true"),
    _row("OBJSTORE_DIR", "app", "docstore/objects"),
    _row("OBJSTORE_BIND_HOST", "app", "127.0.0.1"),
    _row("OBJSTORE_ADVERTISE_HOST", "app", "127.0.0.1"),
    _row("OBJSTORE_PORT", "app", "8333"),
    _row("S3_ACCESS_KEY_ID", "app worker", GENERATED),
    _row("S3_SECRET_ACCESS_KEY", "app worker", GENERATED),
    _row("S3_BUCKET", "app worker", "lectern-documents"),
    _row("S3_REGION", "app worker", "us-east-1"),
    _row("S3_INTERNAL_ENDPOINT", "app worker", "http://127.0.0.1:8333"),
    _row("S3_PUBLIC_ENDPOINT", "app", UNSET),
    _row("S3_BROWSER_TRANSPORT", "app", "auto"),
    _row("S3_FORCE_PATH_STYLE", "app worker", "true"),
    _row("S3_AUTO_CREATE_BUCKET", "app worker", "false"),
    _row("S3_PREFIX", "app worker", "lectern"),
    _row("IMPORT_LIBRARY_DIRS", "app", "docstore/library"),
    _row("EMBEDDED_COMPUTE_WORKER_PORT", "app", "8081"),
    _row("EMBEDDED_BROKER_PORT", "app", "4222"),
    _row("EMBEDDED_BROKER_MONITOR_PORT", "app", "8222"),
    _row("EMBEDDED_BROKER_STORE_DIR", "app", "docstore/broker"),
    _row("BROKER_URL", "app worker", "nats://127.0.0.1:4222"),
    _row("BROKER_CREDS", "worker", UNSET),
    _row("BROKER_CREDS_FILE", "worker", UNSET),
    _row("COMPUTE_WORKER_HOST", "worker", "0.0.0.0"),
    _row("PORT", "app worker", "3003"),
    _row("COMPUTE_PREWARM_MODELS", "worker", "false"),
    _row("ALIGN_MODEL_BASE_URL", "worker", UNSET),
    _row("PDF_LAYOUT_MODEL_BASE_URL", "worker", UNSET),
    _row("COMPUTE_WORKER_URL", "app", "http://127.0.0.1:8081"),  # embedded start-up sets it
    _row("COMPUTE_WORKER_PUBLIC_URL", "app", "http://localhost:8081"),
    _row("COMPUTE_CREDENTIAL_BROKER_URL", "worker", "grpc://127.0.0.1:3004"),  # required
    _row("MEDIA_BIN", "app worker", DETECTED),
    _row("RUNTIME_SEED_JSON_PATH", "app", UNSET),
    _row("RUNTIME_SEED_JSON", "app", UNSET),
    _row("AUTH_TRUSTED_ORIGINS", "app", ""),
    _row("USE_ANONYMOUS_AUTH_SESSIONS", "app", "false"),
    _row("GITHOST_CLIENT_ID", "app", UNSET),
    _row("GITHOST_CLIENT_SECRET", "app", UNSET),
    _row("OIDC_CLIENT_ID", "app", UNSET),
    _row("OIDC_CLIENT_SECRET", "app", UNSET),
    _row("OIDC_DISCOVERY_URL", "app", UNSET),
    _row("OIDC_PROVIDER_ID", "app", "oidc"),
    _row("OIDC_PROVIDER_NAME", "app", "SSO"),
    _row("OIDC_SCOPES", "app", "openid profile email"),
    _row("DISABLE_AUTH_RATE_LIMIT", "app", "false"),
    _row("HOSTED_PRODUCTION", "app", "false"),
    _row("BOOTSTRAP_ADMIN_EMAIL", "app", UNSET),
    _row("BOOTSTRAP_ADMIN_PASSWORD", "app", UNSET),
    _row("BOOTSTRAP_ADMIN_PASSWORD_FILE", "app", UNSET),
    _row("CRON_SECRET", "app", UNSET),
    _row("COMPUTE_WORKER_TOKEN", "app worker", GENERATED),
    _row("COMPUTE_CREDENTIAL_BROKER_TOKEN", "app worker", GENERATED),
    _row("TTS_PLAYBACK_TOKEN_SECRET", "app worker", DERIVED),
    _row("OBJSTORE_WAIT_SEC", "app", "20"),
    _row("COMPUTE_ALIGN_TIMEOUT_MS", "worker", "30000"),
    _row("COMPUTE_PDF_TIMEOUT_MS", "worker", "300000"),
    _row("COMPUTE_TTS_PLAYBACK_SEGMENT_TIMEOUT_MS", "worker", "30000"),
    _row("COMPUTE_PDF_JOB_ATTEMPTS", "worker", "1"),
    _row("COMPUTE_JOBS_STREAM_MAX_BYTES", "worker", "268435456"),
    _row("COMPUTE_EVENTS_STREAM_MAX_BYTES", "worker", "134217728"),
    _row("COMPUTE_JOB_STATES_MAX_BYTES", "worker", "67108864"),
    _row("COMPUTE_BROKER_REPLICAS", "worker", "1"),
    _row("COMPUTE_OP_STALE_MS", "worker", "1800000"),
    _row("COMPUTE_CREDENTIAL_BROKER_TIMEOUT_MS", "worker", "5000"),
)
# Names that only version 4 had, each with what takes its place, where something does.
RETIRED = {
    "ADMIN_EMAILS": "BOOTSTRAP_ADMIN_EMAIL",
    "IMPORT_LIBRARY_DIR": "IMPORT_LIBRARY_DIRS",
    "S3_ENDPOINT": "S3_INTERNAL_ENDPOINT",
    "RUN_FS_MIGRATIONS": "RUN_V4_DECOMMISSION",
    "COMPUTE_JOB_CONCURRENCY": "",
    "ENABLE_TEST_NAMESPACE": "",
}
OURS = {
    "ACCOUNT_EMAIL_API_URL", "APP_HOST", "AUTH_MODE", "COMPUTE_ALIGN_ENGINE", "COMPUTE_MODELS_DIR",
    "COMPUTE_WORKER_GRPC_PORT",
    "COMPUTE_WORKER_GRPC_URL",
    "CREDENTIAL_BROKER_GRPC_PORT", "GITHOST_BASE_URL", "TRUSTED_PROXIES",
}  # fmt: skip
