"""There and back: the way to a sign-in provider, and the callback from it, which always ends at a page."""

from typing import Annotated, Final
from urllib.parse import urlencode

import structlog
from aiohttp import web
from pydantic import Field

from app_server.accounts.access import Access, admit
from app_server.accounts.current_user import require_user, signed_in_user
from app_server.accounts.entrance import Entrance
from app_server.accounts.model import AccessStatus
from app_server.accounts.ports import Inboxes
from app_server.accounts.service import require_active
from app_server.external_sign_in.answers import BeganAnswer
from app_server.external_sign_in.model import FLOW_LIFETIME_MS, Flow, new_secret
from app_server.external_sign_in.service import ExternalSignIn
from app_server.http.client_address import ClientAddresses
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import NO_STORE, RequestBody, StoredText, json_response, read_body
from app_server.pages.own_addresses import own_address
from shared.errors import LecternError

SETTINGS_PAGE: Final = "/app/settings/sign-in"
_SIGN_IN_PAGE: Final = "/signin"
_log = structlog.get_logger(__name__)


class BeginBody(RequestBody):
    # A page of ours to go on to.
    next: Annotated[StoredText, Field(max_length=2000)] = ""
    # Whether the account that is signed in gets another way to sign in.
    link: bool = False


class ExternalSignInRoutes:
    def __init__(
        self,
        *,
        service: ExternalSignIn,
        entrance: Entrance,
        inboxes: Inboxes,
        addresses: ClientAddresses,
        is_https: bool,
    ) -> None:
        self._service = service
        self._entrance = entrance
        self._inboxes = inboxes
        self._addresses = addresses
        self._is_https = is_https
        # __Host- ties the cookie to this very host and to https.
        self._cookie = "__Host-lectern_sign_in" if is_https else "lectern_sign_in"

    def add_to(self, app: web.Application) -> None:
        add_endpoints(
            app,
            [
                Endpoint(
                    method="POST",
                    path="/api/auth/external/{provider_id}",
                    handler=self.begin,
                    summary="Where to go for signing in at a provider, or for linking it to an account",
                    tag="Accounts",
                    access=Access.ANYBODY,
                    body=BeginBody,
                    answer=BeganAnswer,
                    problems=(
                        "ACCOUNT_NEEDED",
                        "NOT_SIGNED_IN",
                        "PROVIDER_ANSWER_INVALID",
                        "PROVIDER_NOT_FOUND",
                        "PROVIDER_UNREACHABLE",
                        "TOO_MANY_ATTEMPTS",
                    ),
                ),
                Endpoint(
                    method="GET",
                    path="/api/auth/callback/{provider_id}",
                    handler=self.finish,
                    summary="Where a provider sends the browser back to; leads on to a page",
                    tag="Accounts",
                    access=Access.ANYBODY,
                    status=303,
                ),
            ],
        )

    async def begin(self, request: web.Request) -> web.Response:
        body = await read_body(request, BeginBody)
        if body.link:
            await admit(request, Access.USER)
        user = await require_user(request) if body.link else None
        secret = request.cookies.get(self._cookie) or new_secret()
        url = await self._service.begin(
            request.match_info["provider_id"],
            browser_secret=secret,
            next_address=SETTINGS_PAGE if body.link else own_address(body.next),
            address=self._addresses.of(request),
            linking=user,
        )
        response = json_response(BeganAnswer(url=url))
        response.set_cookie(
            self._cookie,
            secret,
            max_age=FLOW_LIFETIME_MS // 1000,
            path="/",
            secure=self._is_https,
            httponly=True,
            # Lax: the provider sends the browser back by a link.
            samesite="Lax",
        )
        return response

    async def finish(self, request: web.Request) -> web.Response:
        provider_id = request.match_info["provider_id"]
        flow: Flow | None = None
        try:
            flow = await self._service.take(
                provider_id,
                browser_secret=request.cookies.get(self._cookie, ""),
                state=request.query.get("state", ""),
            )
            return _to(await self._arrive(request, flow))
        except LecternError as error:
            return _to(_failed(provider_id, flow, error.reason))
        except Exception:  # noqa: BLE001  # the edge: somebody who comes back from elsewhere gets a page
            _log.exception("a sign-in failed", provider=provider_id)
            return _to(_failed(provider_id, flow, "SIGN_IN_FAILED"))

    async def _arrive(self, request: web.Request, flow: Flow) -> str:
        """The next address."""
        arrival = await self._service.arrive(
            flow,
            browser_secret=request.cookies.get(self._cookie, ""),
            answer=request.query,
            current=await signed_in_user(request),
            address=self._addresses.of(request),
        )
        if arrival.was_linked:
            return _with(flow.next_address, linked=flow.provider_id)
        if arrival.user.status is AccessStatus.PENDING:
            await self._entrance.hand_over(request, arrival.user)
        require_active(arrival.user)
        await self._inboxes.require_verified(arrival.user)
        await self._entrance.enter(request, arrival.user)
        return flow.next_address


def _failed(provider_id: str, flow: Flow | None, reason: str) -> str:
    """The page tells the reason in its own words: nothing that came from outside is repeated."""
    if flow is not None and flow.user_id is not None:
        return _with(flow.next_address, failed=reason, via=provider_id)
    following = {"next": flow.next_address} if flow else {}
    return _with(_SIGN_IN_PAGE, failed=reason, via=provider_id, **following)


def _with(address: str, **query: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"


def _to(address: str) -> web.Response:
    return web.Response(status=303, headers={"Location": address, "Cache-Control": NO_STORE})
