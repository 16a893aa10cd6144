"""Ways to sign in besides e-mail address and password."""

import re
from urllib.parse import urlsplit

from shared.configuration import parsers
from shared.configuration.variable import APP, Origin, Variable

DISCOVERY_PATH = "/.well-known/openid-configuration"
GITHOST_ID = "githost"


def _discovery_url(raw: str) -> str:
    address = parsers.url("http", "https")(raw)
    parts = urlsplit(address)
    if parts.scheme == "http" and parts.hostname not in {"localhost", "127.0.0.1"}:
        raise ValueError("Write an https:// address; http:// is for localhost and 127.0.0.1 only.")
    if not parts.path.endswith(DISCOVERY_PATH):
        raise ValueError(f"Write the address of the discovery document, which ends with {DISCOVERY_PATH}.")
    return address


def _provider_id(raw: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]+", raw):
        raise ValueError("Write letters, digits, hyphens and underscores only.")
    if raw == GITHOST_ID:
        raise ValueError(f"Write another word: {GITHOST_ID} is the Git hosting sign-in's.")
    return raw


def _scopes(raw: str) -> tuple[str, ...]:
    scopes = tuple(dict.fromkeys(part for part in re.split(r"[\s,]+", raw) if part))
    # The characters of RFC 6749, section 3.3.
    if not scopes or not all(re.fullmatch(r"[\x21\x23-\x5b\x5d-\x7e]+", scope) for scope in scopes):
        raise ValueError("Write scopes separated by blanks or commas, such as openid profile email.")
    return scopes


AUTH_MODE = Variable(
    name="AUTH_MODE",
    scopes=APP,
    parse=parsers.choice("accounts", "single-user"),
    default="accounts",
    origin=Origin.LECTERN,
    meaning="Whether people sign in, or one local user needs no sign-in.",
    rule="`accounts`, or `single-user` while APP_HOST is a loopback address.",
)
USE_ANONYMOUS_AUTH_SESSIONS = Variable(
    name="USE_ANONYMOUS_AUTH_SESSIONS",
    scopes=APP,
    parse=parsers.boolean,
    default=False,
    meaning="Whether guests may use the instance without an account.",
    rule="`true` or `false`.",
)
GITHOST_CLIENT_ID = Variable[str](
    name="GITHOST_CLIENT_ID",
    scopes=APP,
    parse=parsers.word,
    meaning="Client ID of the sign-in with a Git hosting account.",
    rule="Works together with GITHOST_CLIENT_SECRET.",
)
GITHOST_CLIENT_SECRET = Variable[str](
    name="GITHOST_CLIENT_SECRET",
    scopes=APP,
    parse=parsers.word,
    secret=True,
    meaning="Client secret of the sign-in with a Git hosting account.",
    rule="Works together with GITHOST_CLIENT_ID.",
)
GITHOST_BASE_URL = Variable(
    name="GITHOST_BASE_URL",
    scopes=APP,
    parse=parsers.secure_url,
    default="https://github.com",
    origin=Origin.LECTERN,
    meaning="Address of the Git hosting service: the public one, or one's own server of the same kind.",
    rule="https://, or http:// on localhost.",
)
OIDC_CLIENT_ID = Variable[str](
    name="OIDC_CLIENT_ID",
    scopes=APP,
    parse=parsers.word,
    meaning="Client ID at the OpenID Connect provider.",
    rule="Works together with OIDC_CLIENT_SECRET and OIDC_DISCOVERY_URL.",
)
OIDC_CLIENT_SECRET = Variable[str](
    name="OIDC_CLIENT_SECRET",
    scopes=APP,
    parse=parsers.word,
    secret=True,
    meaning="Client secret at the OpenID Connect provider.",
    rule="Works together with OIDC_CLIENT_ID and OIDC_DISCOVERY_URL.",
)
OIDC_DISCOVERY_URL = Variable[str](
    name="OIDC_DISCOVERY_URL",
    scopes=APP,
    parse=_discovery_url,
    meaning="Address of the OpenID Connect provider's discovery document.",
    rule=f"https://, or http:// on localhost and 127.0.0.1. Ends with {DISCOVERY_PATH}.",
)
OIDC_PROVIDER_ID = Variable(
    name="OIDC_PROVIDER_ID",
    scopes=APP,
    parse=_provider_id,
    default="oidc",
    meaning="The last part of the callback address <BASE_URL>/api/auth/callback/<OIDC_PROVIDER_ID>.",
    rule="Letters, digits, hyphens and underscores.",
)
OIDC_PROVIDER_NAME = Variable(
    name="OIDC_PROVIDER_NAME",
    scopes=APP,
    parse=parsers.text,
    default="SSO",
    meaning="What the sign-in button calls the provider.",
    rule="One line of text.",
)
OIDC_SCOPES = Variable[tuple[str, ...]](
    name="OIDC_SCOPES",
    scopes=APP,
    parse=_scopes,
    default=("openid", "profile", "email"),
    shown_default="openid profile email",
    meaning="What is asked of the OpenID Connect provider.",
    rule="Scopes separated by blanks or commas.",
)

VARIABLES = (
    AUTH_MODE,
    USE_ANONYMOUS_AUTH_SESSIONS,
    GITHOST_CLIENT_ID,
    GITHOST_CLIENT_SECRET,
    GITHOST_BASE_URL,
    OIDC_CLIENT_ID,
    OIDC_CLIENT_SECRET,
    OIDC_DISCOVERY_URL,
    OIDC_PROVIDER_ID,
    OIDC_PROVIDER_NAME,
    OIDC_SCOPES,
)
