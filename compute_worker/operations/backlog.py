"""What waits in the queue: how much may, how long it may, and what has been forgotten there."""

import time
from collections.abc import Awaitable, Callable, Sequence

import structlog
from nats.errors import Error as NatsError
from nats.js.errors import NotFoundError

from compute_worker.operations import model
from compute_worker.operations.broker import JOBS_STREAM, Broker, broker_unavailable
from compute_worker.operations.job_states import JobStates
from compute_worker.operations.lanes import Lane
from compute_worker.operations.model import OperationFailure, OperationRecord, OperationState
from compute_worker.operations.policy import PolicyInForce
from compute_worker.operations.queue import RECORDS, OperationQueue
from shared.errors import Code, LecternError

log = structlog.get_logger(__name__)


def queue_limit_reached(action: str) -> LecternError:
    log.info("work is refused: as much waits as its policy allows", action=action)
    return LecternError(
        Code.RESOURCE_EXHAUSTED,
        "Too much is waiting to be done already. Try again in a while.",
        reason="QUEUE_LIMIT_REACHED",
    )


class Room:
    """Refuses what would make an action's queue longer than its policy allows, on all workers together.

    Who submits in the same moment isn't counted, so that a few more may get in.
    """

    def __init__(self, *, broker: Broker, policy: PolicyInForce) -> None:
        self._broker = broker
        self._policy = policy

    async def check(self, lane: Lane) -> None:
        """Raises RESOURCE_EXHAUSTED."""
        policy = self._policy.current.of(lane.action)
        if not policy.is_limited or await self._waiting(lane) < policy.max_queued:
            return
        raise queue_limit_reached(lane.action)

    async def _waiting(self, lane: Lane) -> int:
        try:
            info = await self._broker.jetstream.consumer_info(JOBS_STREAM, lane.consumer)
        except NotFoundError:
            return 0  # its first worker is about to make it
        except (NatsError, TimeoutError) as error:
            raise broker_unavailable(error) from error
        return info.num_pending or 0


class Backlog:
    def __init__(
        self,
        *,
        broker: Broker,
        queue: OperationQueue,
        states: JobStates,
        policy: PolicyInForce,
        on_lost: Callable[[OperationRecord], Awaitable[None]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """on_lost is called for every run that ends failed here."""
        self._broker = broker
        self._queue = queue
        self._states = states
        self._policy = policy
        self._on_lost = on_lost
        self._clock = clock

    async def expire(self, lanes: Sequence[Lane]) -> int:
        """Ends what has waited for longer than its policy allows, whether or not a worker is free to see it.
        Returns how many."""
        return sum([await self._expire(lane) for lane in lanes])

    async def _expire(self, lane: Lane) -> int:
        seconds = self._policy.current.max_wait_seconds(lane.action)
        if seconds is None:
            return 0
        ended, sequence = 0, 0
        while True:
            found = await self._next_job(lane, sequence + 1)
            if found is None:
                return ended
            sequence, operation_id, run = found
            try:
                record = await self._queue.get(operation_id)
            except LecternError as error:
                if error.code is Code.NOT_FOUND:
                    continue
                raise
            if model.is_over(record, run) or record.state is not OperationState.QUEUED:
                continue
            if not record.has_waited(self._clock(), seconds):
                return ended  # what is behind it came later
            ended += await self._lose(
                record, model.WAITED_TOO_LONG, lambda r: r.has_waited(self._clock(), seconds)
            )

    async def mend_stale(self, stale_seconds: float) -> int:
        """Puts into the queue again what waits and was not heard of for so long, and ends what is said to
        run: whoever had it is gone, and so is its job. Returns how many."""
        mended = 0
        async for value in self._states.values(RECORDS):
            record = OperationRecord.from_json(value)
            if not record.is_stale(self._clock(), stale_seconds):
                continue
            log.warning("a stale operation", operation_id=record.operation_id, state=record.state.value)
            if record.state is OperationState.QUEUED:
                mended += await self._queue.enqueue_again(record)
            else:
                mended += await self._lose(
                    record, model.WORKER_LOST, lambda r: r.is_stale(self._clock(), stale_seconds)
                )
        return mended

    async def _lose(
        self, seen: OperationRecord, failure: OperationFailure, is_so: Callable[[OperationRecord], bool]
    ) -> bool:
        """Whether it was us who ended it: other workers sweep too."""
        lost = False

        def transition(record: OperationRecord) -> OperationRecord | None:
            nonlocal lost
            lost = not model.is_over(record, seen.run) and is_so(record)
            return model.failed(record, failure, self._clock()) if lost else None

        record = await self._queue.change(seen.operation_id, transition)
        if lost:
            log.warning("an operation is given up", operation_id=seen.operation_id, reason=failure.code)
            await self._on_lost(record)
        return lost

    async def _next_job(self, lane: Lane, sequence: int) -> tuple[int, str, int] | None:
        """Its place in the queue, its operation and the run."""
        try:
            job = await self._broker.jetstream.get_msg(
                JOBS_STREAM, seq=sequence, subject=lane.subject, next=True
            )
        except NotFoundError:
            return None
        except (NatsError, TimeoutError) as error:
            raise broker_unavailable(error) from error
        operation_id, _, run = (job.data or b"").decode().partition(" ")
        return int(job.seq or sequence), operation_id, int(run)
