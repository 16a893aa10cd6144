"""The pages, and what the official instance adds to them."""

import structlog
from aiohttp import web

from app_server.hosting.region_gate import setup_region_gate
from app_server.hosting.routes import HOSTED_FOOTER, HostedRoutes
from app_server.pages.assets import Assets
from app_server.pages.routes import UI_ROOT, PageRoutes
from app_server.wiring.foundations import Foundations
from app_server.wiring.openapi import add_openapi

_log = structlog.get_logger(__name__)


def add_region_gate(app: web.Application, base: Foundations) -> None:
    """Before the domains: who is kept out reaches none of them."""
    hosting = base.settings.hosting
    if not hosting.is_production:
        return
    if not hosting.trusted_proxies:
        _log.warning(
            "HOSTED_PRODUCTION is true without TRUSTED_PROXIES: no country is known, nobody kept out"
        )
    setup_region_gate(app, addresses=base.addresses)


def add_pages(app: web.Application, base: Foundations) -> None:
    is_hosted = base.settings.hosting.is_production
    assets = Assets(root=UI_ROOT, footer=HOSTED_FOOTER if is_hosted else b"")
    add_openapi(app, base, assets)
    if is_hosted:
        HostedRoutes(assets=assets).add_to(app)
    PageRoutes(assets=assets).add_to(app)
