"""What an OpenID provider says of itself, and its keys: asked for when needed, kept for a while."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from app_server.clock import Clock
from app_server.external_sign_in.provider_http import ProviderHttp, is_safe_address

DISCOVERY_PATH: Final = "/.well-known/openid-configuration"
_KEPT_MS: Final = 3600 * 1000


@dataclass(frozen=True)
class ProviderMetadata:
    """OpenID Connect Discovery 1.0, section 3: what of it signing in needs."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None
    # Whether the client's secret goes into the form; else into HTTP Basic, which is the default.
    posts_secret: bool


class Discovery:
    def __init__(self, *, http: ProviderHttp, url: str, clock: Clock) -> None:
        self._http = http
        self._url = url
        self._clock = clock
        self._metadata: ProviderMetadata | None = None
        self._keys: list[dict[str, Any]] | None = None
        self._read_at_ms = 0

    async def metadata(self) -> ProviderMetadata:
        if self._metadata is None or self._clock() - self._read_at_ms > _KEPT_MS:
            document = await self._http.get(self._url)
            self._metadata = self._checked(document)
            self._keys = None
            self._read_at_ms = self._clock()
        return self._metadata

    async def keys(self, *, fresh: bool = False) -> list[dict[str, Any]]:
        """JSON Web Keys. fresh ones are asked for when a token is signed with one that isn't known: providers
        change their keys without notice."""
        metadata = await self.metadata()
        if self._keys is None or fresh:
            document = await self._http.get(metadata.jwks_uri)
            keys = document.get("keys") if isinstance(document, dict) else None
            if not isinstance(keys, list):
                raise self._http.fault(f"{metadata.jwks_uri} holds no keys")
            self._keys = [key for key in keys if isinstance(key, dict)]
        return self._keys

    def _checked(self, document: Any) -> ProviderMetadata:
        if not isinstance(document, dict):
            raise self._http.fault(f"{self._url} holds no object")
        issuer = document.get("issuer")
        # Section 4.3: else one provider could speak in the name of another.
        if not isinstance(issuer, str) or issuer.rstrip("/") != issuer_of(self._url):
            raise self._http.fault(f"{self._url} names another issuer: {issuer!r:.200}")
        methods = document.get("token_endpoint_auth_methods_supported")
        return ProviderMetadata(
            issuer=issuer,
            authorization_endpoint=self._address(document, "authorization_endpoint"),
            token_endpoint=self._address(document, "token_endpoint"),
            jwks_uri=self._address(document, "jwks_uri"),
            userinfo_endpoint=(
                self._address(document, "userinfo_endpoint") if document.get("userinfo_endpoint") else None
            ),
            posts_secret=(
                isinstance(methods, list)
                and "client_secret_post" in methods
                and "client_secret_basic" not in methods
            ),
        )

    def _address(self, document: Mapping[str, Any], key: str) -> str:
        address = document.get(key)
        if not isinstance(address, str) or not is_safe_address(address):
            raise self._http.fault(f"{self._url} has no safe address as {key}")
        return address


def issuer_of(discovery_url: str) -> str:
    return discovery_url.removesuffix(DISCOVERY_PATH).rstrip("/")
