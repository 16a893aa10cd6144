"""Scheduled tasks: what they are, when they are due, and how they ended. No I/O."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

# What a run did, by words for people, such as {"objects removed": 3}.
Counts = Mapping[str, int]

RUN_SECONDS: Final = 240.0
# Longer than a run may take, by what clocks of several app servers may differ.
LEASE_MS: Final = 5 * 60 * 1000


class Outcome(Enum):
    DONE = "done"
    FAILED = "failed"
    # Its four minutes were over; what it did stays done.
    TIMED_OUT = "timed_out"
    # The app server was stopped meanwhile.
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Order:
    """retention_days: how long what the task removes is kept; 0 for tasks without such a setting."""

    now_ms: int
    retention_days: int = 0


@dataclass(frozen=True)
class Task:
    """A run may be cancelled at any await, and be begun again on another app server."""

    key: str
    title: str
    description: str
    every_seconds: int
    run: Callable[[Order], Awaitable[Counts]]
    is_enabled: bool = True
    # None: the task keeps nothing for a time.
    retention_days: int | None = None


@dataclass(frozen=True)
class TaskRecord:
    """What the database knows of a task; settings of None are the program's."""

    is_enabled: bool | None = None
    interval_seconds: int | None = None
    retention_days: int | None = None
    lease_until_ms: int | None = None
    started_at_ms: int | None = None
    finished_at_ms: int | None = None
    outcome: Outcome | None = None
    counts: Counts = field(default_factory=dict)
    message: str = ""


@dataclass(frozen=True)
class TaskChange:
    """Only what is given changes."""

    is_enabled: bool | None = None
    interval_seconds: int | None = None
    retention_days: int | None = None


@dataclass(frozen=True)
class TaskState:
    """A task with what is known of it."""

    task: Task
    record: TaskRecord

    @property
    def is_enabled(self) -> bool:
        return self.task.is_enabled if self.record.is_enabled is None else self.record.is_enabled

    @property
    def interval_seconds(self) -> int:
        return self.record.interval_seconds or self.task.every_seconds

    @property
    def retention_days(self) -> int | None:
        if self.task.retention_days is None:
            return None
        return self.record.retention_days or self.task.retention_days

    def is_running(self, now_ms: int) -> bool:
        return self.record.lease_until_ms is not None and self.record.lease_until_ms > now_ms

    def has_crashed(self, now_ms: int) -> bool:
        """The latest run neither ended nor can it still be going on."""
        return self.record.lease_until_ms is not None and self.record.lease_until_ms <= now_ms

    def due_at_ms(self, now_ms: int) -> int | None:
        """None for one that is turned off. What was cut short is due at once."""
        if not self.is_enabled:
            return None
        record = self.record
        was_cut_short = self.has_crashed(now_ms) or record.outcome is Outcome.INTERRUPTED
        if record.started_at_ms is None or was_cut_short:
            return now_ms
        return record.started_at_ms + self.interval_seconds * 1000

    def is_due(self, now_ms: int) -> bool:
        due_at_ms = self.due_at_ms(now_ms)
        return due_at_ms is not None and due_at_ms <= now_ms and not self.is_running(now_ms)


@dataclass(frozen=True)
class Report:
    """How a run ended."""

    key: str
    outcome: Outcome
    counts: Counts
    message: str
    milliseconds: int
