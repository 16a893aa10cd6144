"""The ways in besides e-mail address and password: guests, providers, and the local user without any."""

from dataclasses import dataclass

from aiohttp import web

from app_server.accounts.entrance import Entrance
from app_server.accounts.erasure import AccountErasure
from app_server.accounts.local_user import LOCAL_USER, LocalUserStorage, setup_own_addresses_only
from app_server.accounts.ports import AccountStore, Inboxes
from app_server.accounts.rate_limits import AuthRateLimits
from app_server.accounts.session_storage import (
    DatabaseSessionStorage,
    setup_session_cookies,
    setup_sessions,
)
from app_server.accounts.sql_store import SqlAccountStore, SqlAttemptStore, SqlSessionStore
from app_server.accounts.ways_in import ProviderButton, WaysIn
from app_server.external_sign_in.discovery import Discovery
from app_server.external_sign_in.githost import GithostProvider
from app_server.external_sign_in.identity_routes import IdentityRoutes
from app_server.external_sign_in.oidc import OidcProvider
from app_server.external_sign_in.ports import IdentityProvider
from app_server.external_sign_in.provider_http import ProviderHttp
from app_server.external_sign_in.routes import ExternalSignInRoutes
from app_server.external_sign_in.service import ExternalSignIn
from app_server.external_sign_in.sql_store import SqlIdentityStore
from app_server.guests.routes import GuestRoutes
from app_server.guests.service import Guests, StaleGuests
from app_server.guests.sql_store import SqlGuestStore
from app_server.ids import new_id
from app_server.library.service import LibraryService
from app_server.wiring.foundations import Foundations


@dataclass(frozen=True)
class SignIn:
    """What the ways in have in common."""

    limits: AuthRateLimits
    guests: Guests
    entrance: Entrance
    providers: tuple[IdentityProvider, ...]
    ways_in: WaysIn


def sign_in(base: Foundations) -> SignIn:
    settings = base.settings.sign_in
    is_single_user = settings.mode == "single-user"
    limits = AuthRateLimits(
        store=SqlAttemptStore(database=base.database),
        clock=base.clock,
        enabled=base.settings.has_auth_rate_limit,
    )
    guests = Guests(
        store=SqlGuestStore(database=base.database),
        limits=limits,
        enabled=settings.has_anonymous_sessions and not is_single_user,
        clock=base.clock,
        new_id=new_id,
    )
    providers = () if is_single_user else _providers(base)
    return SignIn(
        limits=limits,
        guests=guests,
        entrance=Entrance(guests=guests),
        providers=providers,
        ways_in=WaysIn(
            is_single_user=is_single_user,
            has_guests=guests.enabled,
            providers=tuple(ProviderButton(provider.id, provider.name) for provider in providers),
        ),
    )


async def add_sessions(app: web.Application, base: Foundations, ways: SignIn) -> None:
    """Its middleware knows who asks, so it comes before every route."""
    settings = base.settings
    if ways.ways_in.is_single_user:
        await SqlAccountStore(database=base.database).ensure(LOCAL_USER, created_at_ms=base.clock())
        setup_own_addresses_only(app, origins=settings.trusted_origins, base_url=settings.base_url)
        setup_sessions(app, LocalUserStorage())
        return
    storage = DatabaseSessionStorage(
        store=SqlSessionStore(database=base.database),
        addresses=base.addresses,
        clock=base.clock,
        is_https=settings.base_url.startswith("https:"),
        admits_guests=ways.guests.enabled,
    )
    setup_session_cookies(app, storage)


def add_external_sign_in(
    app: web.Application, base: Foundations, ways: SignIn, accounts: AccountStore, inboxes: Inboxes
) -> None:
    GuestRoutes(guests=ways.guests, entrance=ways.entrance, addresses=base.addresses).add_to(app)
    store = SqlIdentityStore(database=base.database)
    service = ExternalSignIn(
        providers=ways.providers,
        store=store,
        accounts=accounts,
        limits=ways.limits,
        features=base.features,
        base_url=base.settings.base_url,
        clock=base.clock,
        new_id=new_id,
    )
    ExternalSignInRoutes(
        service=service,
        entrance=ways.entrance,
        inboxes=inboxes,
        addresses=base.addresses,
        is_https=base.settings.base_url.startswith("https:"),
    ).add_to(app)
    IdentityRoutes(store=store, providers=ways.providers).add_to(app)


def stale_guests(base: Foundations, library: LibraryService) -> StaleGuests:
    return StaleGuests(
        store=SqlGuestStore(database=base.database),
        erasure=AccountErasure(library=library, objects=base.objects),
        clock=base.clock,
    )


def _providers(base: Foundations) -> tuple[IdentityProvider, ...]:
    settings = base.settings.sign_in
    providers: list[IdentityProvider] = []
    if settings.githost:
        http = ProviderHttp(session=base.http, name=settings.githost.name)
        providers.append(GithostProvider(settings=settings.githost, http=http))
    if settings.oidc:
        http = ProviderHttp(session=base.http, name=settings.oidc.provider_name)
        discovery = Discovery(http=http, url=settings.oidc.discovery_url, clock=base.clock)
        providers.append(
            OidcProvider(settings=settings.oidc, http=http, discovery=discovery, clock=base.clock)
        )
    return tuple(providers)
