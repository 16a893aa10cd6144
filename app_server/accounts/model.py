"""Accounts and sessions. No I/O."""

from dataclasses import dataclass, field
from enum import Enum

SESSION_LIFETIME_MS = 7 * 24 * 3600 * 1000
# A session in use is renewed at most this often, so that reading doesn't mean writing; its owner sees when it
# was last used as exactly as this.
SESSION_RENEWAL_MS = 5 * 60 * 1000

PASSWORD_MIN_CHARACTERS = 8
PASSWORD_MAX_CHARACTERS = 256


class AccessStatus(Enum):
    ACTIVE = "active"
    PENDING = "pending"
    SUSPENDED = "suspended"


class Role(Enum):
    MEMBER = "member"
    ADMIN = "admin"


class UserKind(Enum):
    ACCOUNT = "account"
    # A guest, who has only a session.
    ANONYMOUS = "anonymous"
    # The one user of AUTH_MODE=single-user.
    LOCAL = "local"


@dataclass(frozen=True)
class User:
    """email is empty for who has no account."""

    id: str
    email: str
    status: AccessStatus
    role: Role = Role.MEMBER
    # Somebody else knows the password, as with the first administrator's.
    must_change_password: bool = False
    kind: UserKind = UserKind.ACCOUNT
    # The address is known to be theirs.
    email_verified: bool = False

    @property
    def is_guest(self) -> bool:
        return self.kind is UserKind.ANONYMOUS

    @property
    def is_admin(self) -> bool:
        """With rights in force."""
        return (
            self.role is Role.ADMIN and self.status is AccessStatus.ACTIVE and not self.must_change_password
        )


@dataclass(frozen=True)
class Credentials:
    user: User
    password_hash: str = field(repr=False)


@dataclass(frozen=True)
class SeenFrom:
    """Where a session was used from: the browser's name for itself, and its network address."""

    user_agent: str
    address: str


@dataclass(frozen=True)
class StoredSession:
    id_hash: str
    user: User
    created_at_ms: int
    renewed_at_ms: int
    expires_at_ms: int
