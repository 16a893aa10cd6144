"""The object store for documents and audio: the embedded one or any S3."""

from collections.abc import Callable
from pathlib import Path

from shared.configuration import parsers
from shared.configuration.secrets import generate_secret
from shared.configuration.variable import APP, BOTH, Scope, Values, Variable


def has_embedded_store(values: Values) -> bool:
    return values.scope is Scope.APP and bool(values.get(USE_EMBEDDED_OBJSTORE))


def _endpoint(values: Values) -> str | None:
    if not has_embedded_store(values):
        return None
    host = values.get(OBJSTORE_BIND_HOST) or "127.0.0.1"
    if host in {"0.0.0.0", "::", "localhost"}:
        host = "127.0.0.1"
    return f"http://{f'[{host}]' if ':' in host else host}:{values.get(OBJSTORE_PORT)}"


def _when_embedded(value: str) -> Callable[[Values], str | None]:
    return lambda values: value if has_embedded_store(values) else None


def _generated_key(values: Values) -> str | None:
    return generate_secret() if has_embedded_store(values) else None


def _required_when_external(values: Values) -> str | None:
    if has_embedded_store(values):
        return None
    if values.scope is Scope.WORKER:
        return "is required on a standalone worker"
    return "is required because USE_EMBEDDED_OBJSTORE is false"


USE_EMBEDDED_OBJSTORE = Variable(
    name="USE_EMBEDDED_OBJSTORE",
    scopes=APP,
    parse=parsers.boolean,
    default=True,
    meaning="Whether the app starts its own object store.",
    rule="`false` to use an external S3 only.",
)
OBJSTORE_DIR = Variable(
    name="OBJSTORE_DIR",
    scopes=APP,
    parse=parsers.path,
    default=Path("docstore/objects"),
    meaning="Data directory of the embedded object store.",
    rule="Relative paths start at the working directory.",
)
OBJSTORE_BIND_HOST = Variable(
    name="OBJSTORE_BIND_HOST",
    scopes=APP,
    parse=parsers.bind_host,
    default="127.0.0.1",
    meaning="The address that the embedded object store listens on.",
    rule="An IP address.",
)
OBJSTORE_PORT = Variable(
    name="OBJSTORE_PORT",
    scopes=APP,
    parse=parsers.port,
    default=8333,
    meaning="Port of the embedded object store.",
    rule="A port number.",
)
OBJSTORE_WAIT_SEC = Variable(
    name="OBJSTORE_WAIT_SEC",
    scopes=APP,
    parse=parsers.integer(unit="seconds"),
    default=20,
    meaning="Longest wait for the embedded object store to start.",
    rule="Seconds.",
)
S3_INTERNAL_ENDPOINT = Variable[str](
    name="S3_INTERNAL_ENDPOINT",
    scopes=BOTH,
    parse=parsers.url("http", "https"),
    compute=_endpoint,
    shown_default="http://127.0.0.1:8333 in embedded mode; otherwise AWS",
    example="http://minio:9000",
    meaning="The object store's address for the app and the worker.",
    rule="Unset with an external store: the region's AWS endpoint.",
)
S3_ACCESS_KEY_ID = Variable[str](
    name="S3_ACCESS_KEY_ID",
    scopes=BOTH,
    parse=parsers.text,
    compute=_generated_key,
    shown_default="generated in embedded mode",
    required=_required_when_external,
    example="the key's id from the store",
    secret=True,
    meaning="Access key of the object store.",
    rule="Required with an external store.",
)
S3_SECRET_ACCESS_KEY = Variable[str](
    name="S3_SECRET_ACCESS_KEY",
    scopes=BOTH,
    parse=parsers.text,
    compute=_generated_key,
    shown_default="generated in embedded mode",
    required=_required_when_external,
    example="the key's secret from the store",
    secret=True,
    meaning="Secret of that key.",
    rule="Required with an external store.",
)
S3_BUCKET = Variable[str](
    name="S3_BUCKET",
    scopes=BOTH,
    parse=parsers.bucket,
    compute=_when_embedded("lectern-documents"),
    shown_default="lectern-documents in embedded mode",
    required=_required_when_external,
    example="lectern-documents",
    meaning="The bucket.",
    rule="Required with an external store.",
)
S3_REGION = Variable[str](
    name="S3_REGION",
    scopes=BOTH,
    parse=parsers.text,
    compute=_when_embedded("us-east-1"),
    shown_default="us-east-1 in embedded mode",
    required=_required_when_external,
    example="us-east-1",
    meaning="The bucket's region.",
    rule="Required with an external store.",
)
S3_PREFIX = Variable(
    name="S3_PREFIX",
    scopes=BOTH,
    parse=parsers.key_prefix,
    default="lectern",
    meaning="Prefix of every object key.",
    rule="Letters, digits, `.`, `_`, `-` and `/`.",
)
S3_FORCE_PATH_STYLE = Variable(
    name="S3_FORCE_PATH_STYLE",
    scopes=BOTH,
    parse=parsers.boolean,
    compute=lambda values: values.get(S3_INTERNAL_ENDPOINT) is not None,
    shown_default="true, unless S3_INTERNAL_ENDPOINT is unset",
    meaning="Whether the bucket's name is part of the path and not of the host.",
    rule="`true` or `false`.",
)
S3_AUTO_CREATE_BUCKET = Variable(
    name="S3_AUTO_CREATE_BUCKET",
    scopes=BOTH,
    parse=parsers.boolean,
    default=False,
    meaning="Whether a missing bucket is created at start-up.",
    rule="`true` only when the key may create buckets.",
)

VARIABLES = (
    USE_EMBEDDED_OBJSTORE,
    OBJSTORE_DIR,
    OBJSTORE_BIND_HOST,
    OBJSTORE_PORT,
    OBJSTORE_WAIT_SEC,
    S3_INTERNAL_ENDPOINT,
    S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY,
    S3_BUCKET,
    S3_REGION,
    S3_PREFIX,
    S3_FORCE_PATH_STYLE,
    S3_AUTO_CREATE_BUCKET,
)
