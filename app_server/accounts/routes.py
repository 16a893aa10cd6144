"""/api/auth: signing up, in and out, and who is signed in."""

from dataclasses import replace
from typing import Annotated, Literal

from aiohttp import web
from aiohttp_session import get_session
from pydantic import Field

from app_server.accounts.access import Access
from app_server.accounts.answers import (
    EnteredAnswer,
    SessionAnswer,
    ShownFeatures,
    ShownProvider,
    ShownSignIn,
    shown_user,
)
from app_server.accounts.current_user import require_user, signed_in_user
from app_server.accounts.entrance import Entrance
from app_server.accounts.model import AccessStatus, User
from app_server.accounts.ports import Inboxes
from app_server.accounts.service import AccountService, require_active
from app_server.accounts.ways_in import WaysIn
from app_server.http.client_address import ClientAddresses
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import RequestBody, StoredText, json_response, no_content, read_body
from app_server.library.formats import upload_suffixes
from app_server.site_features.ports import FeatureReader


class CredentialsBody(RequestBody):
    email: Annotated[StoredText, Field(max_length=320)]
    # Longer than a password may be, so that the service can say so.
    password: Annotated[str, Field(max_length=4096)]


class PasswordChangeBody(RequestBody):
    current_password: Annotated[str, Field(max_length=4096)]
    new_password: Annotated[str, Field(max_length=4096)]


class AccountRoutes:
    def __init__(
        self,
        *,
        service: AccountService,
        entrance: Entrance,
        ways_in: WaysIn,
        inboxes: Inboxes,
        features: FeatureReader,
        addresses: ClientAddresses,
        version: str,
        upload_transport: Literal["proxy", "presigned"],
    ) -> None:
        """upload_transport: whether files go through the app (proxy) or straight to the store (presigned)."""
        self._service = service
        self._entrance = entrance
        self._ways_in = ways_in
        self._inboxes = inboxes
        self._features = features
        self._addresses = addresses
        self._version = version
        self._upload_transport = upload_transport

    def add_to(self, app: web.Application) -> None:
        add_endpoints(
            app,
            [
                Endpoint(
                    method="POST",
                    path="/api/auth/sign-up",
                    handler=self.sign_up,
                    summary="Create an account and sign in",
                    tag="Accounts",
                    access=Access.ANYBODY,
                    body=CredentialsBody,
                    answer=EnteredAnswer,
                    status=201,
                    other_answers={202: "Account e-mail is on: a message tells how to go on"},
                    problems=(
                        "ACCOUNT_PENDING",
                        "EMAIL_TAKEN",
                        "NO_SIGN_IN_HERE",
                        "SIGNUP_CLOSED",
                        "TOO_MANY_ATTEMPTS",
                    ),
                ),
                Endpoint(
                    method="POST",
                    path="/api/auth/sign-in",
                    handler=self.sign_in,
                    summary="Sign in by e-mail address and password",
                    tag="Accounts",
                    access=Access.ANYBODY,
                    body=CredentialsBody,
                    answer=EnteredAnswer,
                    problems=(
                        "ACCOUNT_PENDING",
                        "ACCOUNT_SUSPENDED",
                        "CREDENTIALS_WRONG",
                        "EMAIL_NOT_VERIFIED",
                        "NO_SIGN_IN_HERE",
                        "TOO_MANY_ATTEMPTS",
                    ),
                ),
                Endpoint(
                    method="POST",
                    path="/api/auth/sign-out",
                    handler=self.sign_out,
                    summary="End this session",
                    tag="Accounts",
                    access=Access.ANYBODY,
                    status=204,
                ),
                Endpoint(
                    method="POST",
                    path="/api/auth/change-password",
                    handler=self.change_password,
                    summary="Change the password and end all other sessions",
                    tag="Accounts",
                    access=Access.USER,
                    body=PasswordChangeBody,
                    answer=EnteredAnswer,
                    problems=("NO_SIGN_IN_HERE", "TOO_MANY_ATTEMPTS"),
                ),
                Endpoint(
                    method="GET",
                    path="/api/auth/session",
                    handler=self.session,
                    summary="Who is signed in, and what this instance can do",
                    tag="Accounts",
                    access=Access.ANYBODY,
                    answer=SessionAnswer,
                ),
            ],
        )

    async def sign_up(self, request: web.Request) -> web.Response:
        self._ways_in.require_sign_in()
        body = await read_body(request, CredentialsBody)
        user = await self._service.sign_up(
            email=body.email, password=body.password, address=self._addresses.of(request)
        )
        if user is None:
            return no_content(status=202)
        if user.status is AccessStatus.PENDING:
            await self._entrance.hand_over(request, user)
        require_active(user)
        return await self._entered(request, user, status=201)

    async def sign_in(self, request: web.Request) -> web.Response:
        self._ways_in.require_sign_in()
        body = await read_body(request, CredentialsBody)
        user = await self._service.sign_in(
            email=body.email, password=body.password, address=self._addresses.of(request)
        )
        return await self._entered(request, user, status=200)

    async def sign_out(self, request: web.Request) -> web.Response:
        (await get_session(request)).invalidate()
        return no_content()

    async def change_password(self, request: web.Request) -> web.Response:
        """All sessions end, and the one that asks gets a new one."""
        self._ways_in.require_sign_in()
        user = await require_user(request)
        body = await read_body(request, PasswordChangeBody)
        await self._service.change_password(
            user,
            current=body.current_password,
            new=body.new_password,
            address=self._addresses.of(request),
        )
        return await self._entered(request, replace(user, must_change_password=False), status=200)

    async def session(self, request: web.Request) -> web.Response:
        user = await signed_in_user(request)
        features = await self._features.current()
        shown = ShownFeatures(
            max_upload_mb=features.max_upload_mb,
            formats=list(upload_suffixes(with_docx=features.enable_docx_conversion)),
            upload_transport=self._upload_transport,
            has_changelog=bool(features.changelog_feed_url),
        )
        return json_response(
            SessionAnswer(
                user=shown_user(user) if user else None,
                version=self._version,
                sign_in=ShownSignIn(
                    mode="single-user" if self._ways_in.is_single_user else "accounts",
                    policy=features.signup_policy,
                    guests=self._ways_in.has_guests,
                    sends_email=await self._inboxes.is_on(),
                    providers=[
                        ShownProvider(id=button.id, name=button.name) for button in self._ways_in.providers
                    ],
                ),
                features=shown,
            )
        )

    async def _entered(self, request: web.Request, user: User, *, status: int) -> web.Response:
        await self._entrance.enter(request, user)
        return json_response(EnteredAnswer(user=shown_user(user)), status=status)
