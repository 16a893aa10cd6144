"""What people see of their own account. No I/O."""

from dataclasses import dataclass
from typing import Final

# Who has no password shows by this that it is them.
FRESH_SIGN_IN_MS: Final = 10 * 60 * 1000


@dataclass(frozen=True)
class DeviceSession:
    id_hash: str
    user_agent: str
    address: str
    created_at_ms: int
    last_seen_at_ms: int


@dataclass(frozen=True)
class Overview:
    has_password: bool
    document_count: int
    # Of the uploaded files, each counted whole even where others have the same.
    stored_bytes: int
