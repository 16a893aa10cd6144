"""What accounts ask of their database."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app_server.accounts.model import Credentials, SeenFrom, StoredSession, User
from shared.errors import Code, LecternError


class EmailTakenError(LecternError):
    def __init__(self) -> None:
        super().__init__(
            Code.ALREADY_EXISTS,
            "There is already an account with this e-mail address. Sign in instead.",
            reason="EMAIL_TAKEN",
        )


@dataclass(frozen=True)
class Window:
    """At most limit attempts within any period of this length."""

    limit: int
    period_ms: int


class AccountStore(Protocol):
    async def add(self, user: User, *, password_hash: str, created_at_ms: int) -> None:
        """Raises EmailTakenError."""
        ...

    async def credentials(self, email: str) -> Credentials | None: ...

    async def replace_password_hash(self, user_id: str, password_hash: str) -> None: ...

    async def change_password(self, user_id: str, password_hash: str) -> None:
        """The user's own new password. Ends all their sessions and the links in messages."""
        ...


class SessionStore(Protocol):
    async def add(
        self, id_hash: str, *, user_id: str, seen_from: SeenFrom, now_ms: int, expires_at_ms: int
    ) -> None: ...

    async def find(self, id_hash: str, *, now_ms: int) -> StoredSession | None:
        """None also for one that has expired."""
        ...

    async def renew(self, id_hash: str, *, seen_from: SeenFrom, now_ms: int, expires_at_ms: int) -> None: ...

    async def remove(self, id_hash: str) -> None: ...

    async def remove_expired(self, *, now_ms: int) -> int: ...


class GuestClaims(Protocol):
    async def claim(self, guest: User, user: User) -> None:
        """All that the guest had is the user's from now on."""
        ...


class Inboxes(Protocol):
    """What is told by e-mail while account e-mail is on."""

    async def is_on(self) -> bool: ...

    async def require_verified(self, user: User) -> None:
        """Raises PERMISSION_DENIED, and sends a link, where the address has to be confirmed first."""
        ...

    def send_verification(self, user: User) -> None:
        """Soon, not now: its time tells nothing."""
        ...

    def tell_registered(self, email: str) -> None:
        """Somebody signed up with an address that has an account. Soon, as above."""
        ...


class AttemptStore(Protocol):
    async def admit(self, subject_hash: str, windows: Sequence[Window], *, now_ms: int) -> int | None:
        """Counts an attempt, in one step for all processes. Returns None, or for one too many the
        milliseconds to wait (that one isn't counted)."""
        ...

    async def forget(self, subject_hash: str) -> None: ...
