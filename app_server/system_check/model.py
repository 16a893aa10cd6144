"""One line of the system check. No I/O."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from enum import Enum


class Status(Enum):
    OK = "ok"
    WARN = "warn"
    ERROR = "error"


@dataclass(frozen=True)
class Finding:
    """fix says what to do; empty when nothing is to be done."""

    status: Status
    detail: str
    fix: str = ""

    def advised(self, fix: str) -> "Finding":
        return replace(self, fix=fix)


@dataclass(frozen=True)
class Item:
    id: str
    label: str
    finding: Finding


@dataclass(frozen=True)
class Check:
    """look may raise: what it raises is a finding too, with this fix."""

    id: str
    label: str
    look: Callable[[], Awaitable[Finding]]
    fix: str


@dataclass(frozen=True)
class BrowserFacts:
    """What the administrator's browser needs to look for itself."""

    base_url: str
    # A moment of silence at the worker's public address.
    sound_url: str
    # An object with this text, straight from the store; None where files go through the app.
    object_url: str | None
    object_text: str


def ok(detail: str) -> Finding:
    return Finding(Status.OK, detail)


def warn(detail: str, fix: str) -> Finding:
    return Finding(Status.WARN, detail, fix)


def error(detail: str, fix: str) -> Finding:
    return Finding(Status.ERROR, detail, fix)
