"""How an operation's work is written: a handler per kind, which knows nothing of queues."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


class Turn(Protocol):
    """A job's place among what its worker does at once. It is held from begin to end of the job; one whose
    work rests in between lets others go on meanwhile."""

    def is_held_as(self, action: str, /) -> bool: ...

    def take_now(self, action: str, /) -> bool:
        """Whether it could be taken without waiting."""
        ...

    async def take(self, action: str, /) -> None:
        """Waits until the job may go on, as this action of the compute limits; held as another one, the turn
        is changed for it. Raises LecternError when that takes longer than the action may wait."""
        ...

    def rest(self) -> None:
        """Harmless when it isn't held."""
        ...


class FreeTurn:
    """For work that nobody limits."""

    def is_held_as(self, _action: str) -> bool:
        return True

    def take_now(self, _action: str) -> bool:
        return True

    async def take(self, _action: str) -> None:
        """It is always held."""

    def rest(self) -> None:
        """Nobody waits for it."""


@dataclass(frozen=True)
class Job:
    """One delivery of an operation. arguments are plain JSON values and hold no secret but a sealed one,
    under a name that begins with "sealed_"; it is gone from the record when the operation is over."""

    operation_id: str
    attempt: int
    arguments: Mapping[str, object]
    turn: Turn = field(default_factory=FreeTurn)


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
