"""A Git hosting service: OAuth 2 with PKCE and state, and its own API for who somebody is (GitHub's)."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from app_server.external_sign_in.model import ExternalIdentity, FlowSecrets
from app_server.external_sign_in.provider_http import ProviderHttp
from shared.configuration.sign_in_settings import GithostSettings

GITHOST_ID: Final = "githost"
_SCOPES: Final = "read:user user:email"


class GithostProvider:
    id = GITHOST_ID

    def __init__(self, *, settings: GithostSettings, http: ProviderHttp) -> None:
        self.name = settings.name
        # Not the address alone: the same server may be an OpenID provider with other subjects.
        self.issuer = f"{settings.base_url}/login/oauth"
        self._client = settings.client
        self._http = http
        self._api_url = _api_url(settings.base_url)

    async def authorization_url(self, flow: FlowSecrets, *, redirect_uri: str) -> str:
        parameters = {
            "client_id": self._client.client_id,
            "redirect_uri": redirect_uri,
            "scope": _SCOPES,
            "state": flow.state,
            "code_challenge": flow.code_challenge,
            "code_challenge_method": "S256",
        }
        return f"{self.issuer}/authorize?{urlencode(parameters)}"

    async def identity(
        self, flow: FlowSecrets, *, answer: Mapping[str, str], redirect_uri: str
    ) -> ExternalIdentity:
        token = await self._access_token(flow, answer["code"], redirect_uri)
        user = await self._http.get(f"{self._api_url}/user", token=token)
        emails = await self._http.get(f"{self._api_url}/user/emails", token=token)
        if not isinstance(user, dict) or not isinstance(user.get("id"), int):
            raise self._http.fault("the user has no id")
        email = _primary(emails)
        return ExternalIdentity(
            issuer=self.issuer,
            # The number stays when somebody takes another name.
            subject=str(user["id"]),
            email=str(email.get("email") or ""),
            is_email_verified=email.get("verified") is True,
            name=str(user.get("name") or user.get("login") or ""),
        )

    async def _access_token(self, flow: FlowSecrets, code: str, redirect_uri: str) -> str:
        form = {
            "client_id": self._client.client_id,
            "client_secret": self._client.client_secret,
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": flow.code_verifier,
        }
        tokens = await self._http.post(f"{self.issuer}/access_token", form)
        # A refusal comes with status 200 here.
        if not isinstance(tokens, dict) or not isinstance(tokens.get("access_token"), str):
            raise self._http.fault("there is no access token in the answer")
        return str(tokens["access_token"])


def _primary(emails: Any) -> dict[str, Any]:
    known = [email for email in emails if isinstance(email, dict)] if isinstance(emails, list) else []
    return next((email for email in known if email.get("primary") is True), {})


def _api_url(base_url: str) -> str:
    """One's own server has its API under its address, the public service beside it."""
    parts = urlsplit(base_url)
    return f"https://api.{parts.netloc}" if parts.hostname == "github.com" else f"{base_url}/api/v3"
