"""The official instance serves people in the US only: requests from elsewhere are answered 451 (RFC 7725).

The platform in front tells the country. Its word counts only where the request comes from one of
TRUSTED_PROXIES; without it nobody is kept out, since the country isn't known.
"""

from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

from app_server.http.client_address import ClientAddresses
from shared.errors import Code, LecternError

_SERVED: Final = "US"
# Cloudflare's, Vercel's, CloudFront's, App Engine's and Google Cloud's load balancers', Fastly's by custom.
_COUNTRY_HEADERS: Final = (
    "CF-IPCountry",
    "X-Vercel-IP-Country",
    "CloudFront-Viewer-Country",
    "X-AppEngine-Country",
    "X-Client-Region",
    "X-Country-Code",
)
# What the platform and the worker ask, and what anybody may read before they come in.
_OPEN: Final = ("/health/", "/api/internal/", "/api/admin/tasks/tick", "/privacy", "/ui/")
_PROGRAMS: Final = ("/api/", "/v1/")
_MESSAGE: Final = "This instance of Lectern serves people in the United States only. You can host your own."
_PAGE: Final = f"""<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not available here · Lectern</title>
<h1>Lectern is not available where you are</h1><p>{_MESSAGE}</p>
<p><a href="/privacy">What this instance does with data</a></p></html>"""


def setup_region_gate(app: web.Application, *, addresses: ClientAddresses) -> None:
    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path.startswith(_OPEN) or not _is_elsewhere(request, addresses):
            return await handler(request)
        if request.path.startswith(_PROGRAMS) or request.method not in {"GET", "HEAD"}:
            raise LecternError(Code.PERMISSION_DENIED, _MESSAGE, reason="REGION_NOT_SERVED")
        headers = {"Cache-Control": "private, no-store"}
        return web.Response(status=451, text=_PAGE, content_type="text/html", headers=headers)

    app.middlewares.append(check)


def _is_elsewhere(request: web.Request, addresses: ClientAddresses) -> bool:
    """A proxy passes on the other platforms' headers as they come, so every one that is there must agree."""
    if not addresses.is_by_trusted_proxy(request):
        return False
    told = [value for name in _COUNTRY_HEADERS for value in request.headers.getall(name, [])]
    return any(value.strip().upper() != _SERVED for value in told)
