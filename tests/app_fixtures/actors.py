"""Everybody who may ask an address, and a user who has one of everything."""

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from aiohttp import DummyCookieJar, web
from aiohttp.test_utils import TestClient, TestServer

from app_fixtures.administrator import EMAIL as ADMIN_EMAIL
from app_fixtures.administrator import PASSWORD as ADMIN_PASSWORD
from app_fixtures.browser import PASSWORD, Answer, Browser
from app_fixtures.users import change_user
from app_server.accounts.access import TokenScope
from shared.configuration.app_settings import AppSettings

# For the instance's environment, besides administrator.VARIABLES.
VARIABLES = {"USE_ANONYMOUS_AUTH_SESSIONS": "true", "DISABLE_AUTH_RATE_LIMIT": "true"}
OF_USERS = tuple(scope for scope in TokenScope if scope is not TokenScope.ADMIN)
_CREDENTIALS = {"admin": (ADMIN_EMAIL, ADMIN_PASSWORD)} | {
    name: (f"{name}@example.org", PASSWORD) for name in ("user", "other", "suspended", "new_admin")
}


@dataclass
class Actors:
    """people: nobody, guest, user, other, suspended, new_admin (whose first password is still the one that
    somebody else knows) and admin. resources: the user's, by the name of the path parameter for them."""

    client: "TestClient[web.Request, web.Application]"
    origin: str
    people: dict[str, Browser] = field(default_factory=dict)
    resources: dict[str, str] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def with_headers(self, **headers: str) -> Browser:
        return Browser(client=self.client, origin=self.origin, headers=headers)

    async def enter(self, name: str, way: str) -> None:
        email, password = _CREDENTIALS[name]
        self._keep(name, await self.people["nobody"].enter(way, email, password))

    async def come_back(self, name: str) -> None:
        """Signs in again who isn't signed in any more and may: some addresses end sessions."""
        if name in {"nobody", "suspended"}:
            return
        if (await self.people[name].get("/api/auth/session")).json["user"] is None:
            if name == "guest":
                self._keep(name, await self.people["nobody"].post("/api/auth/guest"))
            else:
                await self.enter(name, "sign-in")

    async def token(self, name: str, scopes: list[TokenScope]) -> Browser:
        """A program of this person."""
        body = {"name": "a program", "scopes": [scope.value for scope in scopes]}
        made = await self.people[name].post("/api/user/tokens", body)
        assert made.status == 201, made.body
        return self.with_headers(Authorization=f"Bearer {made.json['secret']}", Origin="")

    async def stock(self) -> None:
        """The user has one of everything, again."""
        await self.come_back("user")
        user = self.people["user"]
        known = {shown["id"] for shown in (await user.get("/api/documents")).json["documents"]}
        if self.resources.get("document_id") not in known:
            # Another one each time: the worker doesn't forget that it was told to stop.
            story = f"<p>Story {next(self._numbers)}.</p>".encode()
            self.resources["document_id"] = await user.add_document(story)
            start = {"documentId": self.resources["document_id"], "start": {"ordinal": 0}}
            started = await user.post("/api/tts/playback/sessions", start)
            assert started.status == 201, started.body
            self.resources["session_id"] = started.json["sessionId"]
        one = f"/api/documents/{self.resources['document_id']}"
        recordings = (await user.get(one + "/recordings")).json["recordings"]
        if self.resources.get("recording_id") not in {recording["id"] for recording in recordings}:
            made = await user.upload(b"OggS and sound", "read.ogg", to=one + "/recordings")
            self.resources["recording_id"] = made.json["recording"]["id"]
        sessions = (await user.get("/api/user/sessions")).json["sessions"]
        self.resources["sign_in_id"] = sessions[0]["id"]
        exports = (await user.get("/api/user/exports")).json["exports"]
        if self.resources.get("export_id") not in {export["id"] for export in exports}:
            self.resources["export_id"] = await self._exported()
        tokens = (await user.get("/api/user/tokens")).json["tokens"]
        if self.resources.get("token_id") not in {token["id"] for token in tokens}:
            made = await user.post("/api/user/tokens", {"name": "to be revoked", "scopes": ["playback"]})
            self.resources["token_id"] = made.json["token"]["id"]

    async def _exported(self) -> str:
        """An archive that is ready."""
        user = self.people["user"]
        begun = (await user.post("/api/user/export")).json["export"]
        async with asyncio.timeout(20):
            while begun["state"] != "ready":
                await asyncio.sleep(0.05)
                exports = (await user.get("/api/user/exports")).json["exports"]
                begun = next(export for export in exports if export["id"] == begun["id"])
        return str(begun["id"])

    def _keep(self, name: str, answer: Answer) -> None:
        assert "Set-Cookie" in answer.headers, answer.body
        self.people[name] = self.with_headers(Cookie=answer.headers["Set-Cookie"].partition(";")[0])

    async def gather(self, settings: AppSettings) -> None:
        """For an instance whose administrator has rights in force."""
        self.people["nobody"] = self.with_headers()
        await self.enter("admin", "sign-in")
        for name in ("user", "other", "suspended", "new_admin"):
            await self.enter(name, "sign-up")
        await change_user(settings, "suspended@example.org", status="suspended")
        await change_user(settings, "new_admin@example.org", role="admin", must_change_password=True)
        self._keep("guest", await self.people["nobody"].post("/api/auth/guest"))
        await self.stock()


def actors_of(server: TestServer, origin: str) -> Actors:
    return Actors(client=TestClient(server, cookie_jar=DummyCookieJar()), origin=origin)
