"""The description of the browser API."""

from aiohttp import web

from app_server.accounts.session_storage import session_cookie_name
from app_server.openapi.routes import OpenApiRoutes
from app_server.pages.assets import Assets
from app_server.version import program_version
from app_server.wiring.foundations import Foundations


def add_openapi(app: web.Application, base: Foundations, assets: Assets) -> None:
    base_url = base.settings.base_url
    OpenApiRoutes(
        assets=assets,
        version=program_version(),
        base_url=base_url,
        cookie_name=session_cookie_name(is_https=base_url.startswith("https:")),
    ).add_to(app)
