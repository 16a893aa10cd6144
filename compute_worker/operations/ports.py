"""How an operation's work is written: a handler per kind, which knows nothing of queues."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Job:
    """One delivery of an operation. arguments are plain JSON values and hold no secret but a sealed one,
    under a name that begins with "sealed_"; it is gone from the record when the operation is over."""

    operation_id: str
    attempt: int
    arguments: Mapping[str, object]


class ProgressReporter(Protocol):
    async def report(self, *, phase: str, done: int, total: int = 0) -> None:
        """May be called as often as wanted; it is thinned out before it is stored."""
        ...


class OperationHandler(Protocol):
    async def run(self, job: Job, progress: ProgressReporter) -> str:
        """Does the work and returns the result reference.

        Raises LecternError: retryable ones are delivered again while attempts last, others end the
        operation as failed with the error's reason and message. Cancellation arrives as
        asyncio.CancelledError and must pass.
        """
        ...
