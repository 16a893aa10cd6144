"""Account e-mail as administrators set it up. The API key goes in and never comes out again."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from app_server.account_email import texts
from app_server.account_email.model import API_KEY_PLACE, AccountEmail, Attempt, QueueState, Verdict
from app_server.account_email.ports import EmailSettingsStore, Outbox, Sender
from app_server.accounts.model import User
from app_server.audit.model import audit_note
from app_server.clock import Clock
from app_server.http.problems import invalid_fields
from app_server.secrets.sealing import SealBrokenError, SecretSealer
from shared.email_addresses import normalized_email
from shared.errors import Code, LecternError

_NAME_MAX_CHARACTERS: Final = 200
_LAST_CHARACTERS: Final = 4


@dataclass(frozen=True)
class ShownEmailSettings:
    """key_ending is the last four characters of the key, empty when there is none or it can't be read."""

    enabled: bool
    sender_name: str
    sender_email: str
    reply_to: str | None
    has_key: bool
    key_ending: str
    key_is_readable: bool
    queue: QueueState


@dataclass(frozen=True)
class EmailSettingsChange:
    """api_key None keeps the one that there is."""

    enabled: bool
    sender_name: str
    sender_email: str
    reply_to: str | None
    api_key: str | None = field(default=None, repr=False)


class EmailSettings:
    def __init__(
        self,
        *,
        store: EmailSettingsStore,
        outbox: Outbox,
        sender: Sender,
        sealer: SecretSealer,
        clock: Clock,
        new_id: Callable[[], str],
    ) -> None:
        self._store = store
        self._outbox = outbox
        self._sender = sender
        self._sealer = sealer
        self._clock = clock
        self._new_id = new_id

    async def is_on(self) -> bool:
        settings = await self._store.read()
        return settings is not None and settings.enabled

    async def shown(self) -> ShownEmailSettings:
        settings, queue = await self._store.read(), await self._outbox.state()
        if settings is None:
            return ShownEmailSettings(False, "", "", None, False, "", True, queue)
        try:
            key, is_readable = opened_key(settings, self._sealer), True
        except SealBrokenError:
            key, is_readable = "", False
        return ShownEmailSettings(
            enabled=settings.enabled,
            sender_name=settings.sender_name,
            sender_email=settings.sender_email,
            reply_to=settings.reply_to,
            has_key=True,
            # Half of a very short one would be too much.
            key_ending=key[-_LAST_CHARACTERS:] if len(key) > 2 * _LAST_CHARACTERS else "",
            key_is_readable=is_readable,
            queue=queue,
        )

    async def change(self, change: EmailSettingsChange, *, actor: User) -> None:
        """Raises for each field that is wrong, and when it is on but nothing could be sent with it."""
        before = await self._store.read()
        after = self._checked(change, before)
        if after.enabled and actor.email and _sends_otherwise(before, after):
            await self._try(after, actor.email)
        changed = {
            name: [getattr(before, field, None), getattr(after, field)]
            for name, field in _AUDITED.items()
            if getattr(before, field, None) != getattr(after, field)
        }
        note = audit_note(
            actor, "email.change", after.sender_email, **changed, apiKeyReplaced=change.api_key is not None
        )
        await self._store.write(after, note=note, now_ms=self._clock())

    async def send_test(self, recipient: str) -> None:
        """At once and past the queue, also while account e-mail is off. Raises with what to change."""
        address = normalized_email(recipient)
        if address is None:
            raise invalid_fields({"recipient": "Enter a valid e-mail address."})
        settings = await self._store.read()
        if settings is None:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                "Account e-mail isn't set up yet. Save the sender and the API key first.",
                reason="EMAIL_NOT_SET_UP",
            )
        attempt = await self._attempt(settings, address)
        if attempt.verdict is not Verdict.SENT:
            raise LecternError(Code.FAILED_PRECONDITION, attempt.reason, reason="EMAIL_NOT_SENT")

    async def _try(self, settings: AccountEmail, recipient: str) -> None:
        """Before it is switched on: people confirm their address before they sign in, also the administrator
        who would have to mend it."""
        attempt = await self._attempt(settings, recipient)
        if attempt.verdict is not Verdict.SENT:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                f"No test message could be sent to {recipient}, so nothing was changed. {attempt.reason}",
                reason="EMAIL_NOT_SENT",
            )

    async def _attempt(self, settings: AccountEmail, recipient: str) -> Attempt:
        return await self._sender.send(
            texts.test_message(),
            recipient=recipient,
            settings=settings,
            api_key=opened_key(settings, self._sealer),
            idempotency_key=self._new_id(),
        )

    def _checked(self, change: EmailSettingsChange, before: AccountEmail | None) -> AccountEmail:
        errors: dict[str, str] = {}
        name = change.sender_name.strip()
        if not name or len(name) > _NAME_MAX_CHARACTERS or not name.isprintable():
            errors["senderName"] = f"Enter one line of at most {_NAME_MAX_CHARACTERS} characters."
        sender = normalized_email(change.sender_email)
        if sender is None:
            errors["senderEmail"] = "Enter a valid e-mail address."
        reply_to = normalized_email(change.reply_to) if change.reply_to else None
        if change.reply_to and reply_to is None:
            errors["replyTo"] = "Enter a valid e-mail address, or leave this empty."
        key = change.api_key.strip() if change.api_key is not None else None
        if key is None and before is None:
            errors["apiKey"] = "Enter the API key of the e-mail service."
        elif key is not None and not (key.isascii() and key.isprintable() and key and " " not in key):
            errors["apiKey"] = "Enter the API key as the e-mail service shows it, without blanks."
        if errors or sender is None:
            raise invalid_fields(errors)
        sealed = self._sealer.seal(key, API_KEY_PLACE) if key else before.sealed_api_key if before else ""
        return AccountEmail(change.enabled, name, sender, reply_to, sealed)


_AUDITED: Final = {
    "enabled": "enabled",
    "senderName": "sender_name",
    "senderEmail": "sender_email",
    "replyTo": "reply_to",
}


def _sends_otherwise(before: AccountEmail | None, after: AccountEmail) -> bool:
    """With another key or sender than what was last in use. Sealing anew looks like another key."""
    if before is None or not before.enabled:
        return True
    return (before.sealed_api_key, before.sender_email) != (after.sealed_api_key, after.sender_email)


def opened_key(settings: AccountEmail, sealer: SecretSealer) -> str:
    """Raises SealBrokenError."""
    return sealer.open(settings.sealed_api_key, API_KEY_PLACE)
