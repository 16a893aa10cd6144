"""Addresses of the app, who may sign in, and the secret behind it."""

from urllib.parse import urlsplit

from shared.configuration import parsers
from shared.configuration.variable import APP, Origin, Values, Variable


def base_hostname(values: Values) -> str:
    return urlsplit(values.get(BASE_URL) or "").hostname or "localhost"


BASE_URL = Variable(
    name="BASE_URL",
    scopes=APP,
    parse=parsers.origin,
    required=lambda _values: "is required",
    example="http://localhost:3003",
    meaning="The address that is opened in the browser.",
    rule="Required. Scheme, host and port.",
)
AUTH_SECRET = Variable(
    name="AUTH_SECRET",
    scopes=APP,
    parse=parsers.secret,
    required=lambda _values: "is required",
    example="the output of: openssl rand -base64 32",
    secret=True,
    meaning="Signs sessions and encrypts saved provider keys; must stay the same.",
    rule="Required. Literal text of at least 16 characters. Never given to a standalone worker.",
)
AUTH_TRUSTED_ORIGINS = Variable[tuple[str, ...]](
    name="AUTH_TRUSTED_ORIGINS",
    scopes=APP,
    parse=parsers.origins,
    default=(),
    meaning="Further origins from which signed-in requests are accepted, besides BASE_URL's.",
    rule="Separated by commas.",
)
DISABLE_AUTH_RATE_LIMIT = Variable(
    name="DISABLE_AUTH_RATE_LIMIT",
    scopes=APP,
    parse=parsers.boolean,
    default=False,
    meaning="Switches the rate limits of signing in and up off.",
    rule="`true` or `false`.",
)
ACCOUNT_EMAIL_API_URL = Variable(
    name="ACCOUNT_EMAIL_API_URL",
    scopes=APP,
    parse=parsers.secure_url,
    default="https://api.resend.com",
    origin=Origin.LECTERN,
    meaning="Where account e-mail is sent from: the base URL of an HTTP API in Resend's form.",
    rule="https://, or http:// on localhost.",
)
APP_HOST = Variable(
    name="APP_HOST",
    scopes=APP,
    parse=parsers.bind_host,
    default="127.0.0.1",
    origin=Origin.LECTERN,
    meaning="The address that the app server listens on.",
    rule="An IP address; 0.0.0.0 for all interfaces.",
)
APP_PORT = Variable(
    name="PORT",
    scopes=APP,
    parse=parsers.port,
    default=3003,
    meaning="The port that the app server listens on.",
    rule="A port number.",
)

VARIABLES = (
    BASE_URL,
    AUTH_SECRET,
    AUTH_TRUSTED_ORIGINS,
    DISABLE_AUTH_RATE_LIMIT,
    ACCOUNT_EMAIL_API_URL,
    APP_HOST,
    APP_PORT,
)
