"""The compute worker: where it listens, how the app reaches it, and the secrets between the two."""

from shared.configuration import parsers
from shared.configuration.declared.accounts import AUTH_SECRET, BASE_URL, base_hostname
from shared.configuration.secrets import derive_playback_secret, generate_secret
from shared.configuration.variable import APP, BOTH, WORKER, Origin, Scope, Values, Variable

CREDENTIALS_PATH = "/api/internal/compute/tts-credentials"


def has_embedded_worker(values: Values) -> bool:
    return values.scope is Scope.APP and not values.is_written(COMPUTE_WORKER_URL)


def _embedded_url(values: Values) -> str:
    return f"http://127.0.0.1:{values.get(EMBEDDED_COMPUTE_WORKER_PORT)}"


def _embedded_grpc_url(values: Values) -> str | None:
    if not has_embedded_worker(values):
        return None
    return f"grpc://127.0.0.1:{values.get(COMPUTE_WORKER_GRPC_PORT)}"


def _public_url(values: Values) -> str | None:
    """On localhost the browser keeps the name that it used, so that both ports are the same site."""
    if not has_embedded_worker(values):
        return values.get(COMPUTE_WORKER_URL)
    hostname = base_hostname(values)
    if not parsers.is_loopback(hostname):
        return None
    host = f"[{hostname}]" if ":" in hostname else hostname
    return f"http://{host}:{values.get(EMBEDDED_COMPUTE_WORKER_PORT)}"


def _generated_when_embedded(values: Values) -> str | None:
    return generate_secret() if has_embedded_worker(values) else None


def _derived_when_embedded(values: Values) -> str | None:
    auth_secret = values.get(AUTH_SECRET) if has_embedded_worker(values) else None
    return derive_playback_secret(auth_secret) if auth_secret else None


def _required_between_services(values: Values) -> str | None:
    if has_embedded_worker(values):
        return None
    if values.scope is Scope.WORKER:
        return "is required on a standalone worker, with the same value as on the app"
    return "is required because COMPUTE_WORKER_URL names a standalone worker, and has the same value there"


EMBEDDED_COMPUTE_WORKER_PORT = Variable(
    name="EMBEDDED_COMPUTE_WORKER_PORT",
    scopes=APP,
    parse=parsers.port,
    default=8081,
    meaning="HTTP port of the embedded worker.",
    rule="A port number.",
)
COMPUTE_WORKER_HOST = Variable(
    name="COMPUTE_WORKER_HOST",
    scopes=WORKER,
    parse=parsers.bind_host,
    default="0.0.0.0",
    shown_default="127.0.0.1 embedded, 0.0.0.0 standalone",
    meaning="The address that the worker listens on.",
    rule="An IP address.",
)
WORKER_PORT = Variable(
    name="PORT",
    scopes=WORKER,
    parse=parsers.port,
    default=8081,
    meaning="HTTP port of a standalone worker.",
    rule="A port number.",
)
COMPUTE_WORKER_GRPC_PORT = Variable(
    name="COMPUTE_WORKER_GRPC_PORT",
    scopes=BOTH,
    parse=parsers.port,
    default=8082,
    origin=Origin.LECTERN,
    meaning="gRPC port of the worker.",
    rule="A port number.",
)
COMPUTE_WORKER_URL = Variable[str](
    name="COMPUTE_WORKER_URL",
    scopes=APP,
    parse=parsers.url("http", "https"),
    compute=_embedded_url,
    shown_default="unset: the app starts its own worker",
    example="http://worker:8081",
    meaning="An external worker's address for the app's calls.",
    rule="Leave it unset to use the embedded worker.",
)
COMPUTE_WORKER_GRPC_URL = Variable[str](
    name="COMPUTE_WORKER_GRPC_URL",
    scopes=APP,
    parse=parsers.url("grpc", "grpcs"),
    compute=_embedded_grpc_url,
    shown_default="the embedded worker's; otherwise COMPUTE_WORKER_URL is used",
    example="grpc://worker:8082",
    origin=Origin.LECTERN,
    meaning="The worker's gRPC address.",
    rule="Begins with grpc:// or grpcs://.",
)
COMPUTE_WORKER_PUBLIC_URL = Variable[str](
    name="COMPUTE_WORKER_PUBLIC_URL",
    scopes=APP,
    parse=parsers.url("http", "https"),
    compute=_public_url,
    shown_default="on localhost BASE_URL's host with the worker's port; otherwise COMPUTE_WORKER_URL",
    required=lambda values: f"is required because BASE_URL ({values.get(BASE_URL)}) is not localhost",
    example="https://worker.example.org, the address at which browsers reach the worker's HTTP port",
    meaning="The worker's address for browsers, which load the audio from it.",
    rule="Required off localhost. Holds no token.",
)
COMPUTE_WORKER_TOKEN = Variable[str](
    name="COMPUTE_WORKER_TOKEN",
    scopes=BOTH,
    parse=parsers.secret,
    compute=_generated_when_embedded,
    shown_default="generated in embedded mode",
    required=_required_between_services,
    example="the output of: openssl rand -base64 32",
    secret=True,
    meaning="Bearer token of the app's calls to the worker.",
    rule="Required with a standalone worker.",
)
COMPUTE_CREDENTIAL_BROKER_TOKEN = Variable[str](
    name="COMPUTE_CREDENTIAL_BROKER_TOKEN",
    scopes=BOTH,
    parse=parsers.secret,
    compute=_generated_when_embedded,
    shown_default="generated in embedded mode",
    required=_required_between_services,
    example="the output of: openssl rand -base64 32",
    secret=True,
    meaning="Bearer token of the worker's calls for provider credentials.",
    rule="Required with a standalone worker. Not the worker token.",
)
TTS_PLAYBACK_TOKEN_SECRET = Variable[str](
    name="TTS_PLAYBACK_TOKEN_SECRET",
    scopes=BOTH,
    parse=parsers.secret,
    compute=_derived_when_embedded,
    shown_default="derived from AUTH_SECRET in embedded mode",
    required=_required_between_services,
    example="the output of: openssl rand -base64 32",
    secret=True,
    meaning="Signs playback addresses and keys the audio cache.",
    rule="Required with a standalone worker. Changing it makes cached audio regenerate.",
)
COMPUTE_CREDENTIAL_BROKER_URL = Variable[str](
    name="COMPUTE_CREDENTIAL_BROKER_URL",
    scopes=WORKER,
    parse=parsers.url("http", "https", "grpc", "grpcs"),
    required=lambda _values: "is required on a standalone worker",
    example=f"https://reader.example.org{CREDENTIALS_PATH}",
    meaning="Where the worker asks the app for provider credentials.",
    rule=f"The app's origin and {CREDENTIALS_PATH}, or grpc(s)://host:port. Encrypted unless private.",
)
COMPUTE_CREDENTIAL_BROKER_TIMEOUT_MS = Variable(
    name="COMPUTE_CREDENTIAL_BROKER_TIMEOUT_MS",
    scopes=WORKER,
    parse=parsers.integer(unit="milliseconds"),
    default=5000,
    meaning="Longest wait for provider credentials.",
    rule="Milliseconds.",
)
CREDENTIAL_BROKER_GRPC_PORT = Variable(
    name="CREDENTIAL_BROKER_GRPC_PORT",
    scopes=APP,
    parse=parsers.port,
    default=3004,
    origin=Origin.LECTERN,
    meaning="gRPC port, on loopback, at which the app gives out provider credentials.",
    rule="A port number.",
)

VARIABLES = (
    EMBEDDED_COMPUTE_WORKER_PORT,
    COMPUTE_WORKER_HOST,
    WORKER_PORT,
    COMPUTE_WORKER_GRPC_PORT,
    COMPUTE_WORKER_URL,
    COMPUTE_WORKER_GRPC_URL,
    COMPUTE_WORKER_PUBLIC_URL,
    COMPUTE_WORKER_TOKEN,
    COMPUTE_CREDENTIAL_BROKER_URL,
    COMPUTE_CREDENTIAL_BROKER_TOKEN,
    COMPUTE_CREDENTIAL_BROKER_TIMEOUT_MS,
    CREDENTIAL_BROKER_GRPC_PORT,
    TTS_PLAYBACK_TOKEN_SECRET,
)
