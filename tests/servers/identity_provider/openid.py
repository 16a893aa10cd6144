"""The OpenID provider: discovery, keys, authorization, tokens and user info, as OpenID Connect has them."""

import base64
import hmac
import json
import time
from html import escape
from typing import Any
from urllib.parse import unquote_plus, urlencode

import jwt
from aiohttp import hdrs, web
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from servers.identity_provider.people import CLIENT_ID, CLIENT_SECRET, Grant, ProviderState


class OpenidProvider:
    def __init__(self, *, issuer: str, state: ProviderState) -> None:
        self._issuer = issuer
        self._state = state
        self._number = 0
        self.rotate()

    def rotate(self) -> None:
        """Another key, under another name; the old one isn't published any more."""
        self._number += 1
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/.well-known/openid-configuration", self.discovery),
            web.get("/keys", self.keys),
            web.get("/authorize", self.authorize),
            web.post("/authorize", self.consent),
            web.post("/token", self.token),
            web.get("/userinfo", self.userinfo),
        ]

    async def discovery(self, request: web.Request) -> web.Response:
        document = {
            "issuer": self._issuer,
            "authorization_endpoint": f"{self._issuer}/authorize",
            "token_endpoint": f"{self._issuer}/token",
            "jwks_uri": f"{self._issuer}/keys",
            "userinfo_endpoint": f"{self._issuer}/userinfo",
            "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": ["RS256"],
            **self._state.faults.get("discovery", {}),
        }
        return web.json_response(document)

    async def keys(self, request: web.Request) -> web.Response:
        key = RSAAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
        return web.json_response({"keys": [{**key, "use": "sig", "kid": f"key-{self._number}"}]})

    async def authorize(self, request: web.Request) -> web.Response:
        """A page with one button, as a person sees it."""
        assert request.query["client_id"] == CLIENT_ID
        assert request.query["code_challenge_method"] == "S256"
        hidden = "".join(
            f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
            for name, value in request.query.items()
        )
        name = escape(str(self._state.person.get("name", "nobody")))
        page = (
            '<!doctype html><html lang="en"><title>Provider</title><h1>Provider</h1>'
            f'<form method="post">{hidden}<button>Go on as {name}</button></form></html>'
        )
        return web.Response(text=page, content_type="text/html")

    async def consent(self, request: web.Request) -> web.Response:
        query = {name: str(value) for name, value in (await request.post()).items()}
        answer = {"state": query["state"]}
        if "error" in self._state.faults:
            answer["error"] = self._state.faults["error"]
        else:
            answer["code"] = self._state.grant(query)
            self._state.first_nonce = self._state.first_nonce or query.get("nonce", "")
        if "iss" in self._state.faults:
            answer["iss"] = self._state.faults["iss"]
        raise web.HTTPFound(f"{query['redirect_uri']}?{urlencode(answer)}")

    async def token(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        if self._client_of(request, form) != (CLIENT_ID, CLIENT_SECRET):
            return web.json_response({"error": "invalid_client"}, status=401)
        grant = self._state.spend(form)
        if grant is None or form.get("grant_type") != "authorization_code":
            return web.json_response({"error": "invalid_grant"}, status=400)
        return web.json_response(
            {
                "access_token": self._state.token_for(grant),
                "token_type": "Bearer",
                "id_token": self._id_token(grant),
            }
        )

    async def userinfo(self, request: web.Request) -> web.Response:
        token = request.headers.get(hdrs.AUTHORIZATION, "").removeprefix("Bearer ")
        person = self._state.tokens.get(token)
        return web.json_response(person) if person else web.json_response({}, status=401)

    def _client_of(self, request: web.Request, form: dict[str, str]) -> tuple[str, str]:
        """By the one method that is supported: HTTP Basic, unless the discovery document says otherwise."""
        document = self._state.faults.get("discovery", {})
        if document.get("token_endpoint_auth_methods_supported") == ["client_secret_post"]:
            return form.get("client_id", ""), form.get("client_secret", "")
        header = request.headers.get(hdrs.AUTHORIZATION, "").removeprefix("Basic ")
        login, _, password = base64.b64decode(header).decode().partition(":")
        return unquote_plus(login), unquote_plus(password)

    def _id_token(self, grant: Grant) -> str:
        faults, now = self._state.faults, int(time.time())
        claims: dict[str, Any] = {
            **grant.person,
            "iss": self._issuer,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": self._state.first_nonce if faults.get("nonce_of_first") else grant.nonce,
            **faults.get("claims", {}),
        }
        for name in ("exp", "iat", "nbf"):
            if name in faults.get("seconds", {}):
                claims[name] = now + faults["seconds"][name]
        claims = {name: value for name, value in claims.items() if name not in faults.get("drop", [])}
        headers = {"kid": f"key-{self._number}", **faults.get("header", {})}
        if headers.get("alg") == "none":
            return jwt.encode(claims, None, algorithm="none", headers=headers)
        if headers.get("alg") == "HS256":
            return self._signed_with_public_key(claims, headers)
        return jwt.encode(claims, self._key, algorithm="RS256", headers=headers)

    def _signed_with_public_key(self, claims: dict[str, Any], headers: dict[str, Any]) -> str:
        """The public key as a shared secret, which a careless verifier takes; PyJWT refuses to write it."""
        key = json.dumps(RSAAlgorithm.to_jwk(self._key.public_key(), as_dict=True)).encode()
        parts = (base64.urlsafe_b64encode(json.dumps(part).encode()) for part in (headers, claims))
        text = b".".join(part.rstrip(b"=") for part in parts)
        signature = base64.urlsafe_b64encode(hmac.digest(key, text, "sha256")).rstrip(b"=")
        return f"{text.decode()}.{signature.decode()}"
