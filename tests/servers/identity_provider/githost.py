"""The Git hosting service on the same port: its OAuth and its API, as GitHub documents them."""

from typing import Any
from urllib.parse import urlencode

from aiohttp import hdrs, web

from servers.identity_provider.people import CLIENT_ID, CLIENT_SECRET, ProviderState


class Githost:
    def __init__(self, *, state: ProviderState) -> None:
        self._state = state

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/login/oauth/authorize", self.authorize),
            web.post("/login/oauth/access_token", self.token),
            web.get("/api/v3/user", self.user),
            web.get("/api/v3/user/emails", self.emails),
        ]

    async def authorize(self, request: web.Request) -> web.Response:
        """Somebody who has allowed it before is led back at once."""
        assert request.query["client_id"] == CLIENT_ID
        code = self._state.grant(dict(request.query))
        answer = urlencode({"code": code, "state": request.query["state"]})
        raise web.HTTPFound(f"{request.query['redirect_uri']}?{answer}")

    async def token(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
            return web.json_response({"error": "incorrect_client_credentials"})
        grant = self._state.spend(form)
        if grant is None:
            return web.json_response({"error": "bad_verification_code"})
        return web.json_response({"access_token": self._state.token_for(grant), "token_type": "bearer"})

    async def user(self, request: web.Request) -> web.Response:
        person = self._person(request)
        return web.json_response({"id": person["sub"], "login": person["login"], "name": person["name"]})

    async def emails(self, request: web.Request) -> web.Response:
        person = self._person(request)
        others = {"email": "other@example.net", "primary": False, "verified": True, "visibility": None}
        primary = {"email": person["email"], "primary": True, "verified": person["email_verified"]}
        return web.json_response([others, primary])

    def _person(self, request: web.Request) -> dict[str, Any]:
        token = request.headers.get(hdrs.AUTHORIZATION, "").removeprefix("Bearer ")
        if token not in self._state.tokens:
            raise web.HTTPUnauthorized
        return self._state.tokens[token]
