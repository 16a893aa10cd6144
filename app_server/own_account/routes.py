"""/api/user and /api/account: one's own account, the devices that are signed in to it, and its end."""

from typing import Annotated

from aiohttp import web
from aiohttp_session import get_session
from pydantic import Field

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.accounts.model import StoredSession
from app_server.accounts.ports import Inboxes
from app_server.accounts.session_storage import STORED
from app_server.accounts.ways_in import WaysIn
from app_server.clock import Clock, iso_time
from app_server.http.client_address import ClientAddresses
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import AnswerBody, RequestBody, json_response, no_content, read_body
from app_server.own_account.devices import device_of
from app_server.own_account.service import AccountDeletion
from app_server.own_account.sql_store import SqlOwnAccount
from shared.errors import Code, LecternError


class AccountAnswer(AnswerBody):
    email: str
    email_verified: bool
    has_password: bool
    # Account e-mail is on: a new address has to be confirmed from its inbox.
    sends_email: bool
    document_count: int
    stored_bytes: int


class ShownSession(AnswerBody):
    id: str
    # The one that asks.
    is_current: bool
    # Such as "Firefox on Linux"; empty when nothing is known.
    device: str
    address: str
    created_at: str
    last_seen_at: str


class SessionsAnswer(AnswerBody):
    sessions: list[ShownSession]


class DeleteAccountBody(RequestBody):
    # Empty for an account that has none.
    current_password: Annotated[str, Field(max_length=4096)]


class OwnAccountRoutes:
    def __init__(
        self,
        *,
        store: SqlOwnAccount,
        deletion: AccountDeletion,
        inboxes: Inboxes,
        ways_in: WaysIn,
        addresses: ClientAddresses,
        clock: Clock,
    ) -> None:
        self._store = store
        self._deletion = deletion
        self._inboxes = inboxes
        self._ways_in = ways_in
        self._addresses = addresses
        self._clock = clock

    def add_to(self, app: web.Application) -> None:
        add_endpoints(
            app,
            [
                Endpoint(
                    method="GET",
                    path="/api/user/account",
                    handler=self.account,
                    summary="One's own account, and how much it stores",
                    tag="Accounts",
                    access=Access.USER,
                    scope=TokenScope.ACCOUNT,
                    answer=AccountAnswer,
                ),
                Endpoint(
                    method="GET",
                    path="/api/user/sessions",
                    handler=self.sessions,
                    summary="The devices that are signed in",
                    tag="Accounts",
                    access=Access.USER,
                    answer=SessionsAnswer,
                ),
                Endpoint(
                    method="DELETE",
                    path="/api/user/sessions/{session_id}",
                    handler=self.end_session,
                    summary="Sign a device out",
                    tag="Accounts",
                    access=Access.USER,
                    status=204,
                    problems=("SESSION_NOT_FOUND",),
                ),
                Endpoint(
                    method="DELETE",
                    path="/api/user/sessions",
                    handler=self.end_other_sessions,
                    summary="Sign all other devices out",
                    tag="Accounts",
                    access=Access.USER,
                    status=204,
                ),
                Endpoint(
                    method="DELETE",
                    path="/api/account",
                    handler=self.delete,
                    summary="Delete one's own account with everything in it",
                    tag="Accounts",
                    access=Access.USER,
                    body=DeleteAccountBody,
                    status=204,
                    problems=(
                        "FRESH_SIGN_IN_NEEDED",
                        "LAST_ADMINISTRATOR",
                        "NO_SIGN_IN_HERE",
                        "TOO_MANY_ATTEMPTS",
                    ),
                ),
            ],
        )

    async def account(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        overview = await self._store.overview(user.id)
        return json_response(
            AccountAnswer(
                email=user.email,
                email_verified=user.email_verified,
                has_password=overview.has_password,
                sends_email=await self._inboxes.is_on(),
                document_count=overview.document_count,
                stored_bytes=overview.stored_bytes,
            )
        )

    async def sessions(self, request: web.Request) -> web.Response:
        session = await _session_of(request)
        found = await self._store.sessions(session.user.id, now_ms=self._clock())
        shown = [
            ShownSession(
                id=item.id_hash,
                is_current=item.id_hash == session.id_hash,
                device=device_of(item.user_agent),
                address=item.address,
                created_at=iso_time(item.created_at_ms),
                last_seen_at=iso_time(item.last_seen_at_ms),
            )
            for item in found
        ]
        return json_response(SessionsAnswer(sessions=shown))

    async def end_session(self, request: web.Request) -> web.Response:
        """The hash of an identifier opens nothing: it can name the session here."""
        session = await _session_of(request)
        if not await self._store.end_session(session.user.id, request.match_info["session_id"]):
            raise LecternError(
                Code.NOT_FOUND, "This device isn't signed in any more.", reason="SESSION_NOT_FOUND"
            )
        return no_content()

    async def end_other_sessions(self, request: web.Request) -> web.Response:
        session = await _session_of(request)
        await self._store.end_other_sessions(session.user.id, session.id_hash)
        return no_content()

    async def delete(self, request: web.Request) -> web.Response:
        self._ways_in.require_sign_in()
        session = await _session_of(request)
        body = await read_body(request, DeleteAccountBody)
        await self._deletion.delete(
            session, password=body.current_password, address=self._addresses.of(request)
        )
        (await get_session(request)).invalidate()
        return no_content()


async def _session_of(request: web.Request) -> StoredSession:
    """None of these addresses takes an API token: there is always one."""
    await require_user(request)
    return request[STORED]
