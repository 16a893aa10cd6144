"""Takes messages from the queue and sends them, again and again until each is sent or of no use any more."""

import asyncio
import json
from collections.abc import Callable
from typing import Final

import structlog

from app_server.account_email.model import (
    AccountEmail,
    Attempt,
    EmailText,
    QueuedEmail,
    Verdict,
    message_place,
)
from app_server.account_email.ports import EmailSettingsStore, Outbox, Sender
from app_server.account_email.settings import opened_key
from app_server.background import in_rounds
from app_server.clock import Clock
from app_server.secrets.sealing import SealBrokenError, SecretSealer

_POLL_SECONDS: Final = 5.0
# Longer than an attempt can take; a server that died on the way leaves the message to another after it.
_LEASE_MS: Final = 60_000
_AT_ONCE: Final = 3
_FIRST_WAIT_SECONDS: Final = 10
_LONGEST_WAIT_SECONDS: Final = 600
_log = structlog.get_logger(__name__)


class EmailDelivery:
    def __init__(
        self,
        *,
        outbox: Outbox,
        settings: EmailSettingsStore,
        sender: Sender,
        sealer: SecretSealer,
        clock: Clock,
        new_id: Callable[[], str],
    ) -> None:
        self._outbox = outbox
        self._settings = settings
        self._sender = sender
        self._sealer = sealer
        self._clock = clock
        self._new_id = new_id
        self._news = asyncio.Event()

    async def post(self, text: EmailText, *, recipient: str, expires_at_ms: int) -> None:
        """Puts it into the queue; it leaves soon after."""
        email_id = self._new_id()
        message = json.dumps({"subject": text.subject, "text": text.text, "html": text.html})
        await self._outbox.add(
            email_id,
            recipient=recipient,
            sealed_message=self._sealer.seal(message, message_place(email_id)),
            now_ms=self._clock(),
            expires_at_ms=expires_at_ms,
        )
        self._news.set()

    async def run(self) -> None:
        """Runs until cancelled."""
        await in_rounds(
            self.deliver_due, news=self._news, every_seconds=_POLL_SECONDS, waiting="account e-mail waits"
        )

    async def deliver_due(self) -> None:
        """One round, a few at a time: a slow service doesn't hold up everybody."""
        late = await self._outbox.give_up_late(now_ms=self._clock())
        if late:
            _log.error("account e-mail could not be sent in time", messages=late)
        settings = await self._settings.read()
        if settings is None or not settings.enabled:
            return
        try:
            api_key = opened_key(settings, self._sealer)
        except SealBrokenError as error:
            _log.warning("account e-mail waits", reason=error.reason)
            return
        await asyncio.gather(*(self._send_all(settings, api_key) for _ in range(_AT_ONCE)))

    async def _send_all(self, settings: AccountEmail, api_key: str) -> None:
        while True:
            now_ms = self._clock()
            email = await self._outbox.take(now_ms=now_ms, leased_until_ms=now_ms + _LEASE_MS)
            if email is None:
                return
            await self._settle(email, await self._sent(email, settings, api_key))

    async def _sent(self, email: QueuedEmail, settings: AccountEmail, api_key: str) -> Attempt:
        try:
            message = json.loads(self._sealer.open(email.sealed_message, message_place(email.id)))
        except SealBrokenError:
            return Attempt(Verdict.NEVER, "The message can't be decrypted: AUTH_SECRET has changed.")
        text = EmailText(subject=message["subject"], text=message["text"], html=message["html"])
        return await self._sender.send(
            text,
            recipient=email.recipient,
            settings=settings,
            api_key=api_key,
            idempotency_key=email.id,
        )

    async def _settle(self, email: QueuedEmail, attempt: Attempt) -> None:
        now_ms = self._clock()
        match attempt.verdict:
            case Verdict.SENT:
                await self._outbox.settle(email.id, failure=None, now_ms=now_ms)
            case Verdict.NEVER:
                _log.error("account e-mail was refused", reason=attempt.reason)
                await self._outbox.settle(email.id, failure=attempt.reason, now_ms=now_ms)
            case Verdict.LATER:
                seconds = _wait_seconds(email.attempts, attempt)
                _log.warning("account e-mail is tried again", reason=attempt.reason, seconds=seconds)
                await self._outbox.put_back(email.id, attempt, due_at_ms=now_ms + seconds * 1000)


def _wait_seconds(attempts: int, attempt: Attempt) -> int:
    """10, 30, 90, 270, 600, 600, … unless the service asks for more."""
    grown: int = _FIRST_WAIT_SECONDS * 3 ** min(attempts - 1, 8)
    return min(max(grown, attempt.retry_after_seconds or 0), _LONGEST_WAIT_SECONDS)
