"""Exports of accounts: what one is, and what of the database goes into it. No I/O."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

EXPORTS_PREFIX: Final = "exports/"
LIFETIME_MS: Final = 7 * 24 * 3600 * 1000


class ExportState(Enum):
    QUEUED = "queued"
    RUNNING = "running"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class AccountExport:
    """done and total count files. expires_at_ms: when the file goes, once there is one."""

    id: str
    user_id: str
    state: ExportState
    requested_at_ms: int
    attempts: int = 0
    done: int = 0
    total: int = 0
    size_bytes: int | None = None
    failure: str | None = None
    expires_at_ms: int | None = None

    @property
    def is_under_way(self) -> bool:
        return self.state in {ExportState.QUEUED, ExportState.RUNNING}

    def has_expired(self, now_ms: int) -> bool:
        return self.expires_at_ms is not None and self.expires_at_ms <= now_ms


@dataclass(frozen=True)
class OwnedFile:
    """name is the path in the archive; size_bytes what the object holds."""

    name: str
    object_key: str
    size_bytes: int


@dataclass(frozen=True)
class AccountContent:
    """records: of each table, its rows as JSON values."""

    records: dict[str, list[dict[str, object]]]
    files: tuple[OwnedFile, ...]


def export_key(export: AccountExport) -> str:
    return f"{EXPORTS_PREFIX}{export.user_id}/{export.id}.zip"


def exports_of(user_id: str) -> str:
    return f"{EXPORTS_PREFIX}{user_id}/"
