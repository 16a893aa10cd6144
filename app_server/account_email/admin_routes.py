"""/api/admin/email: how account e-mail is sent. No answer holds the API key."""

from functools import partial
from typing import Annotated

from aiohttp import web
from pydantic import Field

from app_server.account_email.settings import EmailSettings, EmailSettingsChange, ShownEmailSettings
from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.accounts.model import User
from app_server.accounts.ports import Inboxes
from app_server.clock import iso_time
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import (
    AnswerBody,
    RequestBody,
    StoredText,
    json_response,
    no_content,
    read_body,
)

_PATH = "/api/admin/email"
_Line = Annotated[StoredText, Field(max_length=320)]


class EmailSettingsBody(RequestBody):
    enabled: bool
    sender_name: _Line
    sender_email: _Line
    reply_to: _Line | None = None
    # Left out or null: the stored key stays.
    api_key: Annotated[StoredText | None, Field(max_length=4000, repr=False)] = None


class TestMessageBody(RequestBody):
    recipient: _Line


class ShownQueue(AnswerBody):
    queued: int
    last_sent_at: str | None
    # Of the last message that was given up.
    failed_at: str | None
    failure: str | None


class EmailSettingsAnswer(AnswerBody):
    enabled: bool
    sender_name: str
    sender_email: str
    reply_to: str | None
    has_key: bool
    # The key's last characters, where it is long enough to show them.
    key_ending: str
    # False when AUTH_SECRET has changed since: the key has to be entered again.
    key_is_readable: bool
    # The address of who asks: while account e-mail is on, an unconfirmed one lets nobody sign in again.
    own_address_confirmed: bool
    queue: ShownQueue


class EmailAdminRoutes:
    def __init__(self, *, settings: EmailSettings, inboxes: Inboxes) -> None:
        self._settings = settings
        self._inboxes = inboxes

    def add_to(self, app: web.Application) -> None:
        endpoint = partial(
            Endpoint, tag="Administration: e-mail", access=Access.ADMIN, scope=TokenScope.ADMIN
        )
        add_endpoints(
            app,
            [
                endpoint(
                    method="GET",
                    path=_PATH,
                    handler=self.get,
                    summary="See how account e-mail is sent, and how its queue stands",
                    answer=EmailSettingsAnswer,
                ),
                endpoint(
                    method="PUT",
                    path=_PATH,
                    handler=self.change,
                    summary="Change how account e-mail is sent",
                    body=EmailSettingsBody,
                    answer=EmailSettingsAnswer,
                    problems=("EMAIL_NOT_SENT", "STORED_SECRET_UNREADABLE"),
                ),
                endpoint(
                    method="POST",
                    path=_PATH + "/test",
                    handler=self.test,
                    summary="Send a test message at once",
                    body=TestMessageBody,
                    status=204,
                    problems=("EMAIL_NOT_SENT", "EMAIL_NOT_SET_UP", "STORED_SECRET_UNREADABLE"),
                ),
            ],
        )

    async def get(self, request: web.Request) -> web.Response:
        return json_response(_shown(await self._settings.shown(), await require_user(request)))

    async def change(self, request: web.Request) -> web.Response:
        actor = await require_user(request)
        body = await read_body(request, EmailSettingsBody)
        change = EmailSettingsChange(
            enabled=body.enabled,
            sender_name=body.sender_name,
            sender_email=body.sender_email,
            reply_to=body.reply_to,
            api_key=body.api_key,
        )
        await self._settings.change(change, actor=actor)
        if body.enabled and actor.email and not actor.email_verified:
            # While the session lasts, a message that doesn't come can still be mended.
            self._inboxes.send_verification(actor)
        return json_response(_shown(await self._settings.shown(), actor))

    async def test(self, request: web.Request) -> web.Response:
        body = await read_body(request, TestMessageBody)
        await self._settings.send_test(body.recipient)
        return no_content()


def _shown(settings: ShownEmailSettings, asker: User) -> EmailSettingsAnswer:
    queue = settings.queue
    return EmailSettingsAnswer(
        enabled=settings.enabled,
        sender_name=settings.sender_name,
        sender_email=settings.sender_email,
        reply_to=settings.reply_to,
        has_key=settings.has_key,
        key_ending=settings.key_ending,
        key_is_readable=settings.key_is_readable,
        own_address_confirmed=asker.email_verified,
        queue=ShownQueue(
            queued=queue.queued,
            last_sent_at=_time(queue.last_sent_at_ms),
            failed_at=_time(queue.failed_at_ms),
            failure=queue.failure,
        ),
    )


def _time(at_ms: int | None) -> str | None:
    return None if at_ms is None else iso_time(at_ms)
