"""What people see of their own account. No I/O."""

from dataclasses import dataclass


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
