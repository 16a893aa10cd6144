"""People: who asks, signing up, in and out."""

from aiohttp import web

from app_server.accounts.housekeeping import keep_accounts_tidy
from app_server.accounts.passwords import Passwords
from app_server.accounts.rate_limits import AuthRateLimits
from app_server.accounts.routes import AccountRoutes
from app_server.accounts.service import AccountService
from app_server.accounts.session_storage import DatabaseSessionStorage, setup_session_cookies
from app_server.accounts.sql_store import SqlAccountStore, SqlAttemptStore, SqlSessionStore
from app_server.version import program_version
from app_server.wiring.foundations import Foundations, new_id


def add_accounts(app: web.Application, base: Foundations) -> None:
    """Its middleware knows who asks, so it comes before every other domain."""
    sessions = SqlSessionStore(database=base.database)
    attempts = SqlAttemptStore(database=base.database)
    storage = DatabaseSessionStorage(
        store=sessions, clock=base.clock, is_https=base.settings.base_url.startswith("https:")
    )
    setup_session_cookies(app, storage)
    service = AccountService(
        store=SqlAccountStore(database=base.database),
        passwords=Passwords(),
        limits=AuthRateLimits(store=attempts, clock=base.clock, enabled=base.settings.has_auth_rate_limit),
        features=base.features,
        clock=base.clock,
        new_id=new_id,
    )
    AccountRoutes(
        service=service,
        features=base.features,
        addresses=base.addresses,
        version=program_version(),
        upload_transport="presigned" if base.presigner else "proxy",
    ).add_to(app)
    base.background.start(base.features.keep_fresh())
    base.background.start(keep_accounts_tidy(sessions=sessions, attempts=attempts, clock=base.clock))
