"""AUTH_MODE=single-user: who reaches the app on this machine is its one user, an administrator.

Loopback alone doesn't keep others out: a web page can have a name of its own point to 127.0.0.1 and would
then count as same-origin. So requests have to be for one of our own addresses.
"""

from collections.abc import Collection
from dataclasses import replace
from html import escape
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler
from aiohttp_session import AbstractStorage, Session

from app_server.accounts.model import AccessStatus, Role, StoredSession, User, UserKind
from app_server.accounts.session_storage import STORED, USER_ID
from app_server.http.trusted_origin import origin_of
from shared.errors import Code, LecternError

# A member in the database: were it an administrator there, an instance that goes over to accounts would never
# make its first one.
LOCAL_USER: Final = User(id="local", email="", status=AccessStatus.ACTIVE, kind=UserKind.LOCAL)
# Called by programs under other names: health checks, the worker, and players with a token.
_EXEMPT_PREFIXES: Final = ("/health/", "/metrics", "/api/internal/", "/v1/")


class LocalUserStorage(AbstractStorage):
    """Every request is the local user's; no cookie is read or set."""

    async def load_session(self, request: web.Request) -> Session:
        user = replace(LOCAL_USER, role=Role.ADMIN)
        request[STORED] = StoredSession(
            id_hash="", user=user, created_at_ms=0, renewed_at_ms=0, expires_at_ms=0
        )
        data = {"session": {USER_ID: user.id}}
        return Session(user.id, data=data, new=False)  # type: ignore[arg-type]  # "created" means nothing here

    async def save_session(
        self, request: web.Request, response: web.StreamResponse, session: Session
    ) -> None:
        """There is nothing to keep."""


def setup_own_addresses_only(app: web.Application, *, origins: Collection[str], base_url: str) -> None:
    """origins: BASE_URL's and the trusted ones; what is asked for under another name is refused."""
    hosts = {origin.partition("://")[2] for origin in map(origin_of, origins) if origin}

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if _own_name(request) in hosts or request.path.startswith(_EXEMPT_PREFIXES):
            return await handler(request)
        if request.method == "GET" and not request.path.startswith(("/api/", "/ui/")):
            return _way_there(base_url)
        raise LecternError(
            Code.PERMISSION_DENIED, f"Open Lectern at {base_url}.", reason="ADDRESS_NOT_TRUSTED"
        )

    app.middlewares.append(check)


def _own_name(request: web.Request) -> str:
    """The Host header as an origin has it: without a default port."""
    found = origin_of(f"http://{request.host}") or ""
    return found.partition("://")[2]


def _way_there(base_url: str) -> web.Response:
    address = escape(base_url, quote=True)
    text = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Lectern</title>'
        f'<h1>Lectern is elsewhere</h1><p>Open it at <a href="{address}">{address}</a>.</p></html>'
    )
    return web.Response(
        status=403, text=text, content_type="text/html", headers={"Cache-Control": "no-store"}
    )
