"""What operations use of the broker, in memory and without time: for trying out many interleavings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from compute_worker.operations.job_states import Entry


class MemoryStates:
    """JobStates' compare-and-set."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._revision = 0

    async def get(self, key: str) -> Entry | None:
        return self._entries.get(key)

    async def create(
        self, key: str, value: dict[str, Any], *, ttl_seconds: float | None = None
    ) -> int | None:
        return None if key in self._entries else self._write(key, value)

    async def update(
        self, key: str, value: dict[str, Any], revision: int, *, ttl_seconds: float | None = None
    ) -> int | None:
        present = self._entries.get(key)
        return self._write(key, value) if present is not None and present.revision == revision else None

    def _write(self, key: str, value: dict[str, Any]) -> int:
        self._revision += 1
        self._entries[key] = Entry(value, self._revision)
        return self._revision


class MemoryEvents:
    def __init__(self) -> None:
        self.published: list[tuple[str, dict[str, Any]]] = []

    async def publish(self, topic: str, payload: dict[str, Any]) -> int:
        self.published.append((topic, payload))
        return len(self.published)


@dataclass
class QueuedJob:
    data: bytes
    deliveries: int = 0
    is_out: bool = False  # delivered, and neither settled nor given up


@dataclass
class MemoryJobs:
    """A work queue: acknowledged by the message, whichever delivery of it is meant, as JetStream does."""

    jobs: dict[int, QueuedJob] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)
    _last: int = 0

    async def publish(self, subject: str, body: bytes, *, headers: Mapping[str, str]) -> None:
        if headers["Nats-Msg-Id"] not in self._seen:
            self._seen.add(headers["Nats-Msg-Id"])
            self._last += 1
            self.jobs[self._last] = QueuedJob(body)

    def deliver(self, job_id: int) -> "Delivery":
        job = self.jobs[job_id]
        job.deliveries += 1
        job.is_out = True
        return Delivery(self, job_id, job.data, job.deliveries)

    def forget_deliveries(self) -> None:
        """As the end of ack_wait does: whoever was silent loses what it has."""
        for job in self.jobs.values():
            job.is_out = False


@dataclass(frozen=True)
class Delivery:
    jobs: MemoryJobs
    job_id: int
    data: bytes
    number: int

    @property
    def metadata(self) -> Any:
        return SimpleNamespace(sequence=SimpleNamespace(stream=self.job_id), num_delivered=self.number)

    async def in_progress(self) -> None:
        """There is no time here."""

    def ack(self) -> None:
        self.jobs.jobs.pop(self.job_id, None)

    def nak(self) -> None:
        if self.job_id in self.jobs.jobs:
            self.jobs.jobs[self.job_id].is_out = False
