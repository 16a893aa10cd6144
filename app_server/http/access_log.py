"""One line per request: what was asked and how it went. Query strings may hold secrets and stay out."""

import time

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler

_QUIET_PREFIXES = ("/health/", "/ui/")
_log = structlog.get_logger(__name__)


def setup_access_log(app: web.Application) -> None:
    app.middlewares.append(_logged)


@web.middleware
async def _logged(request: web.Request, handler: Handler) -> web.StreamResponse:
    started = time.perf_counter()
    status = 499  # stays so when the request is cancelled
    try:
        response = await handler(request)
        status = response.status
        return response
    except web.HTTPException as error:
        status = error.status
        raise
    finally:
        write = _log.debug if request.path.startswith(_QUIET_PREFIXES) else _log.info
        write(
            "request",
            method=request.method,
            path=request.path,
            status=status,
            duration_ms=round((time.perf_counter() - started) * 1000, 1),
        )
