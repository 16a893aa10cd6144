"""aiohttp-session's storage in our database: the cookie holds a random id, the table only its hash."""

import hashlib
import secrets
import warnings

from aiohttp import web
from aiohttp_session import AbstractStorage, Session, setup

from app_server.accounts.model import SESSION_LIFETIME_MS, SESSION_RENEWAL_MS, SeenFrom, StoredSession
from app_server.accounts.ports import SessionStore
from app_server.clock import Clock
from app_server.http.client_address import ClientAddresses

USER_ID = "user_id"
STORED = web.RequestKey("stored_session", StoredSession)
_RENEWED_COOKIE = web.RequestKey("renewed_session_cookie", str)


def setup_session_cookies(app: web.Application, storage: "DatabaseSessionStorage") -> None:
    setup_sessions(app, storage)
    app.on_response_prepare.append(storage.show_renewal)


def setup_sessions(app: web.Application, storage: AbstractStorage) -> None:
    # The library keeps what it knows of a request under a plain string, which aiohttp deplores.
    warnings.filterwarnings("ignore", category=web.NotAppKeyWarning, module="aiohttp_session")
    setup(app, storage)


def session_cookie_name(*, is_https: bool) -> str:
    # __Host- ties the cookie to this very host and to https.
    return "__Host-lectern_session" if is_https else "lectern_session"


class DatabaseSessionStorage(AbstractStorage):
    def __init__(
        self,
        *,
        store: SessionStore,
        addresses: ClientAddresses,
        clock: Clock,
        is_https: bool,
        admits_guests: bool = False,
    ) -> None:
        super().__init__(
            cookie_name=session_cookie_name(is_https=is_https),
            max_age=SESSION_LIFETIME_MS // 1000,
            path="/",
            secure=is_https,
            httponly=True,
            samesite="Lax",
        )
        self._store = store
        self._addresses = addresses
        self._clock = clock
        self._admits_guests = admits_guests

    async def load_session(self, request: web.Request) -> Session:
        token = self.load_cookie(request)
        stored = await self._find(token) if token else None
        if token is None or stored is None or (stored.user.is_guest and not self._admits_guests):
            return Session(None, data=None, new=True, max_age=self.max_age)
        request[STORED] = stored
        await self._renew_when_due(request, token, stored)
        data = {"session": {USER_ID: stored.user.id}}
        return Session(token, data=data, new=False)  # type: ignore[arg-type]  # "created" is ours to keep

    async def save_session(
        self, request: web.Request, response: web.StreamResponse, session: Session
    ) -> None:
        previous = self.load_cookie(request)
        if previous:
            await self._store.remove(_hash(previous))
        if _RENEWED_COOKIE in request:
            del request[_RENEWED_COOKIE]
        if session.empty:
            self.save_cookie(response, "")
            return
        token = secrets.token_urlsafe(32)
        now_ms = self._clock()
        await self._store.add(
            _hash(token),
            user_id=session[USER_ID],
            seen_from=self._seen_from(request),
            now_ms=now_ms,
            expires_at_ms=now_ms + SESSION_LIFETIME_MS,
        )
        await self._store.remove_expired(now_ms=now_ms)
        self.save_cookie(response, token, max_age=self.max_age)

    async def show_renewal(self, request: web.Request, response: web.StreamResponse) -> None:
        """For on_response_prepare: streams carry the renewed cookie too."""
        token = request.get(_RENEWED_COOKIE)
        if token:
            self.save_cookie(response, token, max_age=self.max_age)
            # aiohttp has turned cookies into headers by now.
            response.headers.add("Set-Cookie", response.cookies[self.cookie_name].OutputString())

    async def _find(self, token: str) -> StoredSession | None:
        return await self._store.find(_hash(token), now_ms=self._clock())

    async def _renew_when_due(self, request: web.Request, token: str, stored: StoredSession) -> None:
        now_ms = self._clock()
        if now_ms - stored.renewed_at_ms < SESSION_RENEWAL_MS:
            return
        await self._store.renew(
            _hash(token),
            seen_from=self._seen_from(request),
            now_ms=now_ms,
            expires_at_ms=now_ms + SESSION_LIFETIME_MS,
        )
        request[_RENEWED_COOKIE] = token

    def _seen_from(self, request: web.Request) -> SeenFrom:
        return SeenFrom(user_agent=request.headers.get("User-Agent", ""), address=self._addresses.of(request))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
