"""Ways to sign in, and what stands in front of the app."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from shared.configuration.declared import hosting, sign_in
from shared.configuration.parsers import Network
from shared.configuration.variable import Values, Variable


@dataclass(frozen=True)
class OauthClient:
    client_id: str
    client_secret: str = field(repr=False)


@dataclass(frozen=True)
class GithostSettings:
    client: OauthClient
    base_url: str

    @property
    def name(self) -> str:
        """What the sign-in button calls it."""
        host = urlsplit(self.base_url).hostname or ""
        return "GitHub" if host == "github.com" else host


@dataclass(frozen=True)
class OidcSettings:
    client: OauthClient
    discovery_url: str
    provider_id: str
    provider_name: str
    scopes: tuple[str, ...]


@dataclass(frozen=True)
class SignInSettings:
    """None where a way to sign in is not set up completely."""

    mode: str  # accounts or single-user
    has_anonymous_sessions: bool
    githost: GithostSettings | None
    oidc: OidcSettings | None


@dataclass(frozen=True)
class HostingSettings:
    """platform is the variable by which serverless hosting was recognized."""

    trusted_proxies: tuple[Network, ...]
    cron_secret: str | None = field(repr=False)
    is_production: bool
    platform: str | None


def sign_in_settings(values: Values) -> SignInSettings:
    return SignInSettings(
        mode=values.need(sign_in.AUTH_MODE),
        has_anonymous_sessions=values.need(sign_in.USE_ANONYMOUS_AUTH_SESSIONS),
        githost=_githost(values),
        oidc=_oidc(values),
    )


def hosting_settings(values: Values) -> HostingSettings:
    return HostingSettings(
        trusted_proxies=values.need(hosting.TRUSTED_PROXIES),
        cron_secret=values.get(hosting.CRON_SECRET),
        is_production=values.need(hosting.HOSTED_PRODUCTION),
        platform=values.platform,
    )


def _githost(values: Values) -> GithostSettings | None:
    client = _client(values, sign_in.GITHOST_CLIENT_ID, sign_in.GITHOST_CLIENT_SECRET)
    return GithostSettings(client, values.need(sign_in.GITHOST_BASE_URL)) if client else None


def _oidc(values: Values) -> OidcSettings | None:
    client = _client(values, sign_in.OIDC_CLIENT_ID, sign_in.OIDC_CLIENT_SECRET)
    discovery_url = values.get(sign_in.OIDC_DISCOVERY_URL)
    if client is None or discovery_url is None:
        return None
    return OidcSettings(
        client=client,
        discovery_url=discovery_url,
        provider_id=values.need(sign_in.OIDC_PROVIDER_ID),
        provider_name=values.need(sign_in.OIDC_PROVIDER_NAME),
        scopes=values.need(sign_in.OIDC_SCOPES),
    )


def _client(values: Values, identifier: Variable[str], secret: Variable[str]) -> OauthClient | None:
    client_id, client_secret = values.get(identifier), values.get(secret)
    return OauthClient(client_id, client_secret) if client_id and client_secret else None
