"""State-changing requests must come from a page of this instance (BASE_URL or AUTH_TRUSTED_ORIGINS)."""

from collections.abc import Collection
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler

from app_server.accounts.bearer import bearer_token
from shared.errors import Code, LecternError

_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
_DEFAULT_PORTS = {"http": 80, "https": 443}


def origin_of(address: str) -> str | None:
    """scheme://host[:port] in lower case without a default port; None for what has no origin."""
    try:
        parts = urlsplit(address.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not host:
        return None
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}" + ("" if port in (None, _DEFAULT_PORTS[parts.scheme]) else f":{port}")


def setup_trusted_origin(app: web.Application, *, origins: Collection[str], exempt_prefix: str) -> None:
    """exempt_prefix: addresses that programs call with a bearer token and that know no cookie."""
    trusted = {origin for origin in map(origin_of, origins) if origin}

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        is_exempt = request.path.startswith(exempt_prefix) or bearer_token(request) is not None
        if request.method not in _SAFE_METHODS and not is_exempt:
            given = request.headers.get("Origin") or request.headers.get("Referer") or ""
            if origin_of(given) not in trusted:
                raise _not_trusted()
        return await handler(request)

    app.middlewares.append(check)


def _not_trusted() -> LecternError:
    return LecternError(
        Code.PERMISSION_DENIED,
        "This request didn't come from Lectern's own address. Open Lectern at the address that BASE_URL "
        "names, or add yours to AUTH_TRUSTED_ORIGINS.",
        reason="ORIGIN_NOT_TRUSTED",
    )
