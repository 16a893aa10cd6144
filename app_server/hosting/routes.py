"""What only the official instance shows: its badge on every page, and its privacy notice at /privacy."""

from typing import Final

from aiohttp import web

from app_server.pages.assets import Assets

HOSTED_FOOTER: Final = (
    b'<footer class="hosted"><span class="hosted-badge">Official instance</span> '
    b'<a href="/privacy">Privacy</a></footer>\n'
)


class HostedRoutes:
    def __init__(self, *, assets: Assets) -> None:
        self._assets = assets

    def add_to(self, app: web.Application) -> None:
        app.router.add_get("/privacy", self.privacy)

    async def privacy(self, request: web.Request) -> web.Response:
        return await self._assets.response(request, "pages/privacy.html")
