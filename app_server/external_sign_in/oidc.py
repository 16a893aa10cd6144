"""A generic OpenID Connect provider: the authorization code flow with PKCE, state and nonce."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from app_server.clock import Clock
from app_server.external_sign_in.discovery import Discovery, ProviderMetadata, issuer_of
from app_server.external_sign_in.id_token import IdTokenError, UnknownKeyError, verified_claims
from app_server.external_sign_in.model import ExternalIdentity, FlowSecrets
from app_server.external_sign_in.provider_http import ProviderHttp
from shared.configuration.sign_in_settings import OidcSettings

_OPENID: Final = "openid"


class OidcProvider:
    def __init__(
        self, *, settings: OidcSettings, http: ProviderHttp, discovery: Discovery, clock: Clock
    ) -> None:
        self.id = settings.provider_id
        self.name = settings.provider_name
        self.issuer = issuer_of(settings.discovery_url)
        self._client = settings.client
        # Without it there would be no ID token.
        self._scopes = tuple(dict.fromkeys((_OPENID, *settings.scopes)))
        self._http = http
        self._discovery = discovery
        self._clock = clock

    async def authorization_url(self, flow: FlowSecrets, *, redirect_uri: str) -> str:
        metadata = await self._discovery.metadata()
        parameters = {
            "response_type": "code",
            "client_id": self._client.client_id,
            "redirect_uri": redirect_uri,
            "scope": " ".join(self._scopes),
            "state": flow.state,
            "nonce": flow.nonce,
            "code_challenge": flow.code_challenge,
            "code_challenge_method": "S256",
        }
        address = metadata.authorization_endpoint
        return f"{address}{'&' if urlsplit(address).query else '?'}{urlencode(parameters)}"

    async def identity(
        self, flow: FlowSecrets, *, answer: Mapping[str, str], redirect_uri: str
    ) -> ExternalIdentity:
        metadata = await self._discovery.metadata()
        # RFC 9207: a code of another provider isn't spent at this one.
        if answer.get("iss", metadata.issuer) != metadata.issuer:
            raise self._http.fault("the answer is of another issuer")
        tokens = await self._tokens(metadata, flow, answer["code"], redirect_uri)
        claims = await self._claims(metadata, str(tokens["id_token"]), flow.nonce)
        if not claims.get("email") and metadata.userinfo_endpoint:
            claims |= await self._user_info(metadata.userinfo_endpoint, tokens, str(claims["sub"]))
        return ExternalIdentity(
            issuer=self.issuer,
            subject=str(claims["sub"]),
            email=_text(claims, "email"),
            # A few providers write it as text.
            is_email_verified=claims.get("email_verified") in (True, "true"),  # may be no hashable value
            name=_text(claims, "name") or _text(claims, "preferred_username"),
        )

    async def _tokens(
        self, metadata: ProviderMetadata, flow: FlowSecrets, code: str, redirect_uri: str
    ) -> dict[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": flow.code_verifier,
        }
        client = self._client
        if metadata.posts_secret:
            form |= {"client_id": client.client_id, "client_secret": client.client_secret}
            tokens = await self._http.post(metadata.token_endpoint, form)
        else:
            credentials = (client.client_id, client.client_secret)
            tokens = await self._http.post(metadata.token_endpoint, form, credentials=credentials)
        if not isinstance(tokens, dict) or not isinstance(tokens.get("id_token"), str):
            raise self._http.fault("there is no ID token in the answer")
        return tokens

    async def _claims(self, metadata: ProviderMetadata, token: str, nonce: str) -> dict[str, Any]:
        def verified(keys: list[dict[str, Any]]) -> dict[str, Any]:
            return verified_claims(
                token,
                keys=keys,
                issuer=metadata.issuer,
                client_id=self._client.client_id,
                nonce=nonce,
                now_seconds=self._clock() / 1000,
            )

        try:
            try:
                return verified(await self._discovery.keys())
            except UnknownKeyError:
                return verified(await self._discovery.keys(fresh=True))
        except UnknownKeyError as error:
            raise self._http.fault("the ID token is signed with none of the provider's keys") from error
        except IdTokenError as error:
            raise self._http.fault(f"the ID token is not valid: {error}") from error

    async def _user_info(self, url: str, tokens: dict[str, Any], subject: str) -> dict[str, Any]:
        """Core, section 5.3.2: it must be about the same person."""
        info = await self._http.get(url, token=str(tokens.get("access_token", "")))
        if not isinstance(info, dict) or info.get("sub") != subject:
            raise self._http.fault("the user info is about somebody else")
        return info


def _text(claims: Mapping[str, Any], name: str) -> str:
    value = claims.get(name)
    return value if isinstance(value, str) else ""
