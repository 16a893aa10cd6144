"""What administrators did: who, what, to what. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app_server.accounts.model import User


@dataclass(frozen=True)
class AuditNote:
    """One change, to be written in the transaction that makes it.

    action is two words with a dot, such as user.suspend; target is what people call the thing (an address,
    a slug). details are JSON values that anybody among the administrators may see: never a secret.
    """

    actor_id: str
    actor_email: str
    action: str
    target: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class AuditEntry:
    """A note as it was written."""

    id: str
    at_ms: int
    note: AuditNote


@dataclass(frozen=True)
class AuditQuery:
    """Empty texts don't filter. action is a whole action, or its first word with the dot, such as user."""

    action: str = ""
    # Part of an administrator's or a target's name.
    text: str = ""
    page: int = 1


@dataclass(frozen=True)
class AuditPage:
    entries: list[AuditEntry]
    # Over all pages.
    total: int


def audit_note(actor: User, action: str, target: str, **details: Any) -> AuditNote:
    return AuditNote(
        actor_id=actor.id, actor_email=actor.email, action=action, target=target, details=details
    )
