"""An operation's record and the only ways in which it may change. No I/O."""

import hashlib
from dataclasses import asdict, dataclass, field, fields, replace
from enum import Enum
from typing import Any, Final

_SEALED: Final = "sealed_"  # how names of arguments begin that are encrypted secrets, for running jobs only


class OperationKind(Enum):
    DOCUMENT = "document"
    ALIGN = "align"
    PLAYBACK = "playback"


class OperationState(Enum):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        return self in {OperationState.SUCCEEDED, OperationState.FAILED, OperationState.CANCELLED}


@dataclass(frozen=True)
class Progress:
    phase: str = ""
    done: int = 0
    total: int = 0


@dataclass(frozen=True)
class OperationFailure:
    code: str
    message: str
    retryable: bool


# Of a run that ended without its handler.
WORKER_LOST: Final = OperationFailure(
    "WORKER_LOST", "The work was interrupted too often. Try again.", retryable=True
)
WAITED_TOO_LONG: Final = OperationFailure(
    "WAITED_TOO_LONG", "Too much else had to be done before this. Try again in a while.", retryable=True
)


@dataclass(frozen=True)
class OperationRecord:
    operation_id: str
    kind: OperationKind
    dedup_key: str
    state: OperationState
    created_at: float  # seconds since the epoch, like the other times
    updated_at: float
    heartbeat_at: float
    arguments: dict[str, Any] = field(default_factory=dict)
    run: int = 1  # how often it was submitted anew
    attempt: int = 0  # how often this run was begun
    job_id: int = 0  # the queue's message that is being worked on, and which delivery of it
    delivery: int = 0
    progress: Progress = Progress()
    failure: OperationFailure | None = None
    result_ref: str = ""
    worker_id: str = ""

    def is_stale(self, now: float, stale_seconds: float) -> bool:
        return not self.state.is_terminal and now - max(self.heartbeat_at, self.updated_at) > stale_seconds

    def has_waited(self, now: float, seconds: float) -> bool:
        """For so long, since it was submitted or put back into the queue, and still does."""
        return self.state is OperationState.QUEUED and now - self.updated_at > seconds

    def to_json(self) -> dict[str, Any]:
        value = asdict(self)
        value["kind"] = self.kind.value
        value["state"] = self.state.value
        return value

    @staticmethod
    def from_json(value: dict[str, Any]) -> "OperationRecord":
        failure = value["failure"]
        known = {
            name: part for name, part in value.items() if name in _FIELDS
        }  # a newer worker may write more
        return OperationRecord(
            **{
                **known,
                "kind": OperationKind(value["kind"]),
                "state": OperationState(value["state"]),
                "progress": Progress(**value["progress"]),
                "failure": OperationFailure(**failure) if failure else None,
            }
        )


_FIELDS: Final = frozenset(part.name for part in fields(OperationRecord))


def operation_id_of(kind: OperationKind, dedup_key: str) -> str:
    """One key, one operation: the id follows from the key, so no index is needed."""
    return f"{kind.value}-{hashlib.sha256(dedup_key.encode()).hexdigest()[:32]}"


def queued(
    kind: OperationKind, dedup_key: str, arguments: dict[str, Any], now: float, run: int = 1
) -> OperationRecord:
    return OperationRecord(
        operation_id=operation_id_of(kind, dedup_key),
        kind=kind,
        dedup_key=dedup_key,
        state=OperationState.QUEUED,
        created_at=now,
        updated_at=now,
        heartbeat_at=now,
        arguments=arguments,
        run=run,
    )


class Claim(Enum):
    """What a delivered job is to the worker that got it."""

    OURS = "ours"  # to be begun
    OVER = "over"  # nothing is left to do: it is taken from the queue
    ELSEWHERE = "elsewhere"  # a later delivery of it is being worked on: it must stay in the queue


def claim_of(record: OperationRecord, run: int, job_id: int, delivery: int) -> Claim:
    """Only a later delivery of the same message takes a running operation from its worker: a worker that was
    stopped for a while wakes up with deliveries that others have got since."""
    if is_over(record, run):
        return Claim.OVER
    if record.state is OperationState.QUEUED:
        return Claim.OURS
    if record.job_id != job_id:
        return Claim.OVER  # submitted twice, and the other one is being worked on
    return Claim.OURS if delivery > record.delivery else Claim.ELSEWHERE


def is_over(record: OperationRecord, run: int) -> bool:
    """Nothing is left to do for the run."""
    return record.run != run or record.state.is_terminal


def is_same_delivery(present: OperationRecord, ours: OperationRecord) -> bool:
    return (
        present.state is OperationState.RUNNING
        and (present.run, present.job_id, present.delivery) == (ours.run, ours.job_id, ours.delivery)
        and present.worker_id == ours.worker_id
    )


def started(
    record: OperationRecord, worker_id: str, now: float, *, job_id: int, delivery: int
) -> OperationRecord:
    return replace(
        record,
        state=OperationState.RUNNING,
        attempt=record.attempt + 1,
        job_id=job_id,
        delivery=delivery,
        worker_id=worker_id,
        updated_at=now,
        heartbeat_at=now,
    )


def beating(record: OperationRecord, progress: Progress, now: float) -> OperationRecord:
    return replace(record, progress=progress, updated_at=now, heartbeat_at=now)


def _ended(record: OperationRecord, state: OperationState, now: float) -> OperationRecord:
    kept = {name: value for name, value in record.arguments.items() if not name.startswith(_SEALED)}
    return replace(record, state=state, arguments=kept, updated_at=now)


def succeeded(record: OperationRecord, result_ref: str, now: float) -> OperationRecord:
    return replace(_ended(record, OperationState.SUCCEEDED, now), result_ref=result_ref, failure=None)


def failed(record: OperationRecord, failure: OperationFailure, now: float) -> OperationRecord:
    return replace(_ended(record, OperationState.FAILED, now), failure=failure)


def requeued(record: OperationRecord, now: float) -> OperationRecord:
    """Waiting for its next delivery after a failure that may pass."""
    return replace(record, state=OperationState.QUEUED, worker_id="", updated_at=now)


def handed_back(record: OperationRecord, now: float) -> OperationRecord:
    """As if it had not been begun: a worker that is stopped on purpose uses up no attempt."""
    return replace(requeued(record, now), attempt=record.attempt - 1)


def cancelled(record: OperationRecord, now: float) -> OperationRecord:
    return _ended(record, OperationState.CANCELLED, now)
