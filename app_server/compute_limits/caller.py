"""Whose work it is, as limits count it. Holds no address and no cookie, only keyed hashes of them. No I/O."""

import json
from dataclasses import dataclass
from typing import Final

from app_server.compute_limits.model import Scope

SITE: Final = "site"
_LONGEST: Final = 64


@dataclass(frozen=True)
class Caller:
    """device is empty for who is signed in to an account, and address where none is known."""

    user_id: str
    is_anonymous: bool
    device: str = ""
    address: str = ""

    def subject(self, scope: Scope) -> str | None:
        """What a limit of this scope counts; None where it doesn't concern this caller."""
        match scope:
            case "user":
                return f"user:{self.user_id}"
            case "anonymous_device":
                return f"device:{self.device}" if self.is_anonymous and self.device else None
            case "ip":
                return f"ip:{self.address}" if self.address else None
            case "site":
                return SITE

    @property
    def subjects(self) -> tuple[str, ...]:
        """All that is counted, always in the same order: whoever locks them never waits in a circle."""
        found = (self.subject(scope) for scope in ("user", "anonymous_device", "ip", "site"))
        return tuple(sorted(subject for subject in found if subject))

    def belongs_to(self, audience: str) -> bool:
        """audience: anonymous, authenticated or all."""
        return audience == "all" or (audience == "anonymous") == self.is_anonymous


def account_of(caller: Caller) -> str:
    """For a worker to hand back with every charge: it stores and understands nothing of it."""
    return json.dumps([caller.user_id, caller.is_anonymous, caller.device, caller.address])


def caller_of(account: str) -> Caller | None:
    """None for what no account_of has made."""
    try:
        user_id, is_anonymous, device, address = json.loads(account)
    except (ValueError, TypeError):
        return None
    texts = (user_id, device, address)
    if not (isinstance(is_anonymous, bool) and all(isinstance(text, str) and _fits(text) for text in texts)):
        return None
    return Caller(user_id, is_anonymous, device, address)


def _fits(text: str) -> bool:
    return len(text) <= _LONGEST and "\0" not in text
