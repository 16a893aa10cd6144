"""The empty web application: middlewares in their order, and the limits of a request."""

from collections.abc import Collection

from aiohttp import web

from app_server.http.access_log import setup_access_log
from app_server.http.event_stream import setup_event_streams
from app_server.http.problems import setup_problems
from app_server.http.request_id import setup_request_id
from app_server.http.security_headers import setup_security_headers
from app_server.http.trusted_origin import origin_of, setup_trusted_origin

INTERNAL_PREFIX = "/api/internal/"
_MAX_BODY_BYTES = 256 * 1024  # of JSON; uploads are streams with a limit of their own


def create_application(
    *, base_url: str, trusted_origins: Collection[str], worker_public_url: str, store_origin: str = ""
) -> web.Application:
    """The outermost middleware first."""
    app = web.Application(client_max_size=_MAX_BODY_BYTES)
    setup_request_id(app)
    setup_access_log(app)
    setup_problems(app)
    setup_event_streams(app)
    setup_security_headers(
        app,
        worker_origin=origin_of(worker_public_url) or "",
        store_origin=store_origin,
        is_https=base_url.startswith("https:"),
    )
    setup_trusted_origin(app, origins={base_url, *trusted_origins}, exempt_prefix=INTERNAL_PREFIX)
    return app
