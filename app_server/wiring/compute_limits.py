"""Compute limits: what is left of them, and their administration."""

from aiohttp import web

from app_server.compute_limits.admin_routes import LimitAdminRoutes
from app_server.compute_limits.routes import UsageRoutes
from app_server.wiring.foundations import Foundations


def add_compute_limits(app: web.Application, base: Foundations) -> None:
    base.callers.setup(app)
    UsageRoutes(limits=base.limits, callers=base.callers, clock=base.clock).add_to(app)
    LimitAdminRoutes(features=base.features).add_to(app)
