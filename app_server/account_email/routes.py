"""/api/auth and /api/user, as far as e-mail takes part: confirming, resetting, changing an address."""

from typing import Annotated, Literal

from aiohttp import web
from pydantic import Field

from app_server.account_email.model import LinkPurpose
from app_server.account_email.service import AccountEmailService
from app_server.accounts.access import Access
from app_server.accounts.current_user import require_user
from app_server.accounts.session_storage import STORED
from app_server.accounts.ways_in import WaysIn
from app_server.http.client_address import ClientAddresses
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import (
    AnswerBody,
    RequestBody,
    StoredText,
    json_response,
    no_content,
    read_body,
)

_Email = Annotated[StoredText, Field(max_length=320)]
_Password = Annotated[str, Field(max_length=4096)]
_Token = Annotated[str, Field(max_length=200)]


class ForgotPasswordBody(RequestBody):
    email: _Email


class ResetPasswordBody(RequestBody):
    token: _Token
    new_password: _Password


class ConfirmEmailBody(RequestBody):
    token: _Token


class ChangeEmailBody(RequestBody):
    new_email: _Email
    # Empty for an account that has none.
    current_password: _Password


class ConfirmedAnswer(AnswerBody):
    purpose: Literal["verify", "change"]
    email: str


class EmailChangeAnswer(AnswerBody):
    """state: changed at once, or waiting for the new inbox to confirm it."""

    state: Literal["changed", "waiting"]


class AccountEmailRoutes:
    def __init__(self, *, service: AccountEmailService, ways_in: WaysIn, addresses: ClientAddresses) -> None:
        self._service = service
        self._ways_in = ways_in
        self._addresses = addresses

    def add_to(self, app: web.Application) -> None:
        add_endpoints(
            app,
            [
                Endpoint(
                    method="POST",
                    path="/api/auth/forgot-password",
                    handler=self.forgot_password,
                    summary="Send a link for a new password; the answer is the same for any address",
                    tag="Accounts",
                    access=Access.ANYBODY,
                    body=ForgotPasswordBody,
                    status=202,
                    problems=("EMAIL_OFF", "NO_SIGN_IN_HERE", "TOO_MANY_ATTEMPTS"),
                ),
                Endpoint(
                    method="POST",
                    path="/api/auth/reset-password",
                    handler=self.reset_password,
                    summary="Set a new password by a link; all sessions end",
                    tag="Accounts",
                    access=Access.ANYBODY,
                    body=ResetPasswordBody,
                    status=204,
                    problems=("LINK_EXPIRED", "NO_SIGN_IN_HERE"),
                ),
                Endpoint(
                    method="POST",
                    path="/api/auth/confirm-email",
                    handler=self.confirm_email,
                    summary="Confirm an e-mail address, or a change to it, by a link",
                    tag="Accounts",
                    access=Access.ANYBODY,
                    body=ConfirmEmailBody,
                    answer=ConfirmedAnswer,
                    problems=("EMAIL_TAKEN", "LINK_EXPIRED", "NO_SIGN_IN_HERE"),
                ),
                Endpoint(
                    method="POST",
                    path="/api/user/email",
                    handler=self.change_email,
                    summary="Change the e-mail address; the new inbox confirms it when account e-mail is on",
                    tag="Accounts",
                    access=Access.USER,
                    body=ChangeEmailBody,
                    answer=EmailChangeAnswer,
                    problems=("FRESH_SIGN_IN_NEEDED", "NO_SIGN_IN_HERE", "TOO_MANY_ATTEMPTS"),
                ),
            ],
        )

    async def forgot_password(self, request: web.Request) -> web.Response:
        self._ways_in.require_sign_in()
        body = await read_body(request, ForgotPasswordBody)
        await self._service.forgot_password(email=body.email, address=self._addresses.of(request))
        return no_content(status=202)

    async def reset_password(self, request: web.Request) -> web.Response:
        self._ways_in.require_sign_in()
        body = await read_body(request, ResetPasswordBody)
        await self._service.reset_password(token=body.token, new_password=body.new_password)
        return no_content()

    async def confirm_email(self, request: web.Request) -> web.Response:
        self._ways_in.require_sign_in()
        body = await read_body(request, ConfirmEmailBody)
        link = await self._service.confirm(body.token)
        purpose: Literal["verify", "change"] = "verify" if link.purpose is LinkPurpose.VERIFY else "change"
        return json_response(ConfirmedAnswer(purpose=purpose, email=link.email))

    async def change_email(self, request: web.Request) -> web.Response:
        self._ways_in.require_sign_in()
        await require_user(request)
        body = await read_body(request, ChangeEmailBody)
        waits = await self._service.change_address(
            request[STORED],
            new_email=body.new_email,
            password=body.current_password,
            address=self._addresses.of(request),
        )
        return json_response(EmailChangeAnswer(state="waiting" if waits else "changed"))
