"""Account e-mail: how it is sent, what is sent, and the links in it. No I/O."""

import hashlib
import secrets
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from app_server.secrets.sealing import Place

ROW_ID: Final = "default"
API_KEY_PLACE: Final = Place(table="account_email", column="api_key", row=ROW_ID)
LINK_LIFETIME_MS: Final = 3600 * 1000


@dataclass(frozen=True)
class AccountEmail:
    enabled: bool
    sender_name: str
    sender_email: str
    reply_to: str | None
    # Sealed at API_KEY_PLACE.
    sealed_api_key: str = field(repr=False)


@dataclass(frozen=True)
class EmailText:
    subject: str
    text: str = field(repr=False)
    html: str = field(repr=False)


@dataclass(frozen=True)
class QueuedEmail:
    id: str
    recipient: str
    # Sealed at message_place(id).
    sealed_message: str = field(repr=False)
    # The present one included.
    attempts: int
    expires_at_ms: int


class Verdict(Enum):
    SENT = "sent"
    # It may work another time.
    LATER = "later"
    # It never will.
    NEVER = "never"


@dataclass(frozen=True)
class Attempt:
    """reason is for administrators; retry_after_seconds is what the service asked for."""

    verdict: Verdict
    reason: str = ""
    retry_after_seconds: int | None = None


@dataclass(frozen=True)
class QueueState:
    """failure and failed_at_ms are of the last message that was given up."""

    queued: int
    last_sent_at_ms: int | None
    failed_at_ms: int | None
    failure: str | None


class LinkPurpose(Enum):
    VERIFY = "verify"
    RESET = "reset"
    CHANGE = "change"


@dataclass(frozen=True)
class EmailLink:
    """email: the inbox it was sent to, which is the new address of a change."""

    user_id: str
    purpose: LinkPurpose
    email: str
    expires_at_ms: int


def message_place(email_id: str) -> Place:
    return Place(table="email_outbox", column="message", row=email_id)


def new_token() -> str:
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
