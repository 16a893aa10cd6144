"""API tokens: made by users, believed on every endpoint that has a scope."""

from aiohttp import web

from app_server.accounts.bearer import setup_api_tokens
from app_server.api_tokens.routes import ApiTokenRoutes
from app_server.api_tokens.service import ApiTokenService
from app_server.api_tokens.sql_store import SqlApiTokenStore
from app_server.ids import new_id
from app_server.wiring.foundations import Foundations


def add_api_tokens(app: web.Application, base: Foundations) -> None:
    service = ApiTokenService(store=SqlApiTokenStore(database=base.database), clock=base.clock, new_id=new_id)
    setup_api_tokens(app, service)
    ApiTokenRoutes(service=service).add_to(app)
