"""The pages of the browser application and their static files."""

from pathlib import Path
from urllib.parse import urlencode

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from aiohttp.web_exceptions import HTTPNotFound, HTTPSeeOther

from app_server.accounts.current_user import signed_in_user
from app_server.accounts.model import User
from app_server.pages.assets import Assets
from app_server.pages.own_addresses import own_address
from shared.errors import LecternError

UI_ROOT = Path(__file__).parent.parent / "ui"
_API_PREFIXES = ("/api/", "/v1/", "/health/", "/ui/")
_INBOX_PAGES = ("/verify-email", "/forgot-password", "/reset-password")
_PLAIN_404 = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Not found · Lectern</title>
<h1>There is nothing at this address.</h1><p><a href="/">Go to your library</a></p></html>"""


class PageRoutes:
    def __init__(self, *, assets: Assets) -> None:
        self._assets = assets

    def add_to(self, app: web.Application) -> None:
        app.middlewares.append(self._missing_pages())
        app.router.add_get("/", self.start)
        app.router.add_get("/signin", self.entrance)
        app.router.add_get("/signup", self.entrance)
        for page in _INBOX_PAGES:
            app.router.add_get(page, self.inbox_page)
        app.router.add_get("/app", self.library)
        # Settings are a dialog over the library; the browser knows its sections.
        app.router.add_get("/app/settings", self.library)
        app.router.add_get("/app/settings/{section}", self.library)
        app.router.add_get("/read/{document_id}", self.reader)
        app.router.add_get("/ui/{path:.+}", self.asset)

    async def start(self, request: web.Request) -> web.StreamResponse:
        if await _user(request):
            raise _redirect("/app")
        return await self._page(request, "landing")

    async def entrance(self, request: web.Request) -> web.StreamResponse:
        """A guest may want an account."""
        user = await _user(request)
        if user is not None and not user.is_guest:
            raise _redirect(own_address(request.query.get("next", "")))
        return await self._page(request, request.path.removeprefix("/"))

    async def inbox_page(self, request: web.Request) -> web.StreamResponse:
        """Whoever is signed in: a link may be followed in any browser."""
        return await self._page(request, request.path.removeprefix("/"))

    async def library(self, request: web.Request) -> web.StreamResponse:
        await _require_session(request)
        return await self._page(request, "app")

    async def reader(self, request: web.Request) -> web.StreamResponse:
        await _require_session(request)
        return await self._page(request, "read")

    async def asset(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["path"]
        if name.endswith(".html"):
            raise HTTPNotFound
        return await self._assets.response(request, name)

    async def _page(self, request: web.Request, name: str) -> web.Response:
        response = await self._assets.response(request, f"pages/{name}.html")
        # What is at this address depends on who asks.
        response.headers["Cache-Control"] = "private, no-cache"
        response.headers["Vary"] = "Cookie"
        return response

    async def _missing_page(self, request: web.Request) -> web.Response:
        if self._assets.has("pages/not-found.html"):
            return await self._assets.response(request, "pages/not-found.html", status=404)
        return web.Response(status=404, text=_PLAIN_404, content_type="text/html")

    def _missing_pages(self) -> Middleware:
        @web.middleware
        async def show(request: web.Request, handler: Handler) -> web.StreamResponse:
            try:
                return await handler(request)
            except HTTPNotFound:
                if request.path.startswith(_API_PREFIXES) or request.method not in {"GET", "HEAD"}:
                    raise
                return await self._missing_page(request)

        return show


async def _user(request: web.Request) -> User | None:
    try:
        return await signed_in_user(request)
    except LecternError:
        return None  # the database is away: the sign-in page can say so, a blank error can't


async def _require_session(request: web.Request) -> None:
    if not await _user(request):
        query = urlencode({"next": request.path_qs})
        raise _redirect(f"/signin?{query}")


def _redirect(address: str) -> HTTPSeeOther:
    return HTTPSeeOther(address, headers={"Cache-Control": "private, no-store"})
