"""The object store for documents and audio: the embedded one or any S3."""

from collections.abc import Callable
from pathlib import Path

from shared.configuration import parsers
from shared.configuration.addresses import binds_all, private_address
from shared.configuration.secrets import generate_secret
from shared.configuration.variable import APP, BOTH, Scope, Values, Variable


def has_embedded_store(values: Values) -> bool:
    return values.scope is Scope.APP and bool(values.get(USE_EMBEDDED_OBJSTORE))


def _endpoint(values: Values) -> str | None:
    if not has_embedded_store(values):
        return None
    host = values.need(OBJSTORE_BIND_HOST)
    return _address("127.0.0.1" if host == "localhost" or binds_all(host) else host, values)


def _advertised_host(values: Values) -> str | None:
    if not has_embedded_store(values):
        return None
    host = values.need(OBJSTORE_BIND_HOST)
    return private_address() if binds_all(host) else host


def advertised_endpoint(values: Values) -> str | None:
    """The embedded store's address in the URLs that other machines are given."""
    host = values.get(OBJSTORE_ADVERTISE_HOST)
    return _address(host, values) if host and has_embedded_store(values) else None


def _address(host: str, values: Values) -> str:
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


def _required_for_presigning(values: Values) -> str | None:
    transport = values.get(S3_BROWSER_TRANSPORT)
    if transport == "auto" and values.platform:
        return f"is required on serverless hosting ({values.platform} is set), which can't proxy documents"
    # Without an endpoint of its own the store is AWS, which browsers reach; ours has an advertised address.
    if transport == "presigned" and values.is_set(S3_INTERNAL_ENDPOINT) and not has_embedded_store(values):
        return "is required because S3_BROWSER_TRANSPORT is presigned"
    return None


def is_presigned(values: Values) -> bool:
    transport = values.need(S3_BROWSER_TRANSPORT)
    return transport == "presigned" or (transport == "auto" and values.is_set(S3_PUBLIC_ENDPOINT))


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
    parse=parsers.directory,
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
OBJSTORE_ADVERTISE_HOST = Variable[str](
    name="OBJSTORE_ADVERTISE_HOST",
    scopes=APP,
    parse=parsers.host,
    compute=_advertised_host,
    shown_default="OBJSTORE_BIND_HOST, or this machine's private address when that is all interfaces",
    example="192.168.1.20",
    meaning="The embedded object store's host in presigned addresses.",
    rule="A host name or an IP address.",
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
S3_PUBLIC_ENDPOINT = Variable[str](
    name="S3_PUBLIC_ENDPOINT",
    scopes=APP,
    parse=parsers.secure_url,
    required=_required_for_presigning,
    example="https://objects.example.org",
    meaning="The object store's address for browsers, in presigned addresses.",
    rule="An https:// address.",
)
S3_BROWSER_TRANSPORT = Variable(
    name="S3_BROWSER_TRANSPORT",
    scopes=APP,
    parse=parsers.choice("auto", "proxy", "presigned"),
    default="auto",
    meaning="How documents travel between browsers and the object store.",
    rule="`presigned` (directly), `proxy` (through the app; not on serverless hosting), or `auto`: presigned "
    "when S3_PUBLIC_ENDPOINT is set, otherwise proxy.",
)
S3_ACCESS_KEY_ID = Variable[str](
    name="S3_ACCESS_KEY_ID",
    scopes=BOTH,
    parse=parsers.word,
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
    parse=parsers.word,
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
    parse=parsers.word,
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
    OBJSTORE_ADVERTISE_HOST,
    OBJSTORE_PORT,
    OBJSTORE_WAIT_SEC,
    S3_INTERNAL_ENDPOINT,
    S3_PUBLIC_ENDPOINT,
    S3_BROWSER_TRANSPORT,
    S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY,
    S3_BUCKET,
    S3_REGION,
    S3_PREFIX,
    S3_FORCE_PATH_STYLE,
    S3_AUTO_CREATE_BUCKET,
)
