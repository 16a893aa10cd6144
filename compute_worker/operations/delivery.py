"""One delivery of a job: claimed, worked on while its heart beats, and brought to an end on record.

A delivery ends in a value (Outcome). A worker that dies stops heartbeating: the broker delivers the job
again, and the record's delivery fences the dead one off.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

import structlog
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from compute_worker.operations import model
from compute_worker.operations.model import Claim, OperationFailure, OperationRecord, OperationState
from compute_worker.operations.ports import FreeTurn, Job, OperationHandler, Turn
from compute_worker.operations.queue import OperationQueue
from shared.errors import Code, LecternError

PROGRESS_WRITE_SECONDS: Final = 0.25  # a record is written at most this often for progress alone
RECORD_BEAT_SECONDS: Final = 5.0  # and this often to show that somebody is at it; the job itself more often
END_TRIES: Final = 10  # a result is not thrown away because the broker elects a leader
END_PAUSE_SECONDS: Final = 1.0

log = structlog.get_logger(__name__)


class Outcome(Enum):
    DONE = "done"  # on record as ended: the job leaves the queue
    RETRY = "retry"  # to be delivered again
    ELSEWHERE = "elsewhere"  # another delivery is worked on; the job's message is the other worker's now


class DeliveredJobs:
    """The jobs that this worker is working on."""

    def __init__(
        self,
        *,
        queue: OperationQueue,
        handler: OperationHandler,
        worker_id: str,
        attempts_of: Callable[[OperationRecord], int],
        heartbeat_seconds: float,
        clock: Callable[[], float],
        max_wait_seconds: Callable[[], float | None] = lambda: None,
        on_success: Callable[[Job], Awaitable[None]] | None = None,
        on_lost: Callable[[OperationRecord], Awaitable[None]] | None = None,
    ) -> None:
        """max_wait_seconds: how long a job may wait until it is begun, at present.

        on_success is called when a success is on record, for what came while it was written; on_lost when
        a run ended failed without its handler, which can't tell anybody.
        """
        self._queue = queue
        self._handler = handler
        self._worker_id = worker_id
        self._attempts_of = attempts_of
        self._heartbeat_seconds = heartbeat_seconds
        self._clock = clock
        self._max_wait_seconds = max_wait_seconds
        self._on_success = on_success
        self._on_lost = on_lost
        self._running: dict[str, _Running] = {}

    def cancel(self, operation_id: str) -> None:
        running = self._running.get(operation_id)
        if running is not None:
            running.work.cancel()

    async def process(self, message: Msg, turn: Turn | None = None) -> Outcome:
        operation_id, _, run = message.data.decode().partition(" ")
        delivered = message.metadata
        job_id = int(delivered.sequence.stream)
        running = self._running.get(operation_id)
        if running is not None and running.job_id == job_id and not running.work.done():
            await message.in_progress()  # we were too busy to say that we are at it
            return Outcome.ELSEWHERE
        try:
            claim, record = await self._claim(operation_id, int(run), job_id, delivered.num_delivered)
        except LecternError as error:
            if error.code is not Code.NOT_FOUND:
                raise
            log.warning("dropping a job without a record", operation_id=operation_id)
            return Outcome.DONE
        if claim is not Claim.OURS:
            return Outcome.DONE if claim is Claim.OVER else Outcome.ELSEWHERE
        with structlog.contextvars.bound_contextvars(operation_id=operation_id):
            return await self._execute(message, record, turn or FreeTurn())

    async def _claim(
        self, operation_id: str, run: int, job_id: int, delivery: int
    ) -> tuple[Claim, OperationRecord]:
        claim, lost = Claim.OVER, None

        def transition(record: OperationRecord) -> OperationRecord | None:
            nonlocal claim, lost
            claim, lost = model.claim_of(record, run, job_id, delivery), None
            if claim is not Claim.OURS:
                return None
            lost = self._lost_before_its_begin(record, delivery)
            if lost is not None:
                claim = Claim.OVER
                return model.failed(record, lost, self._clock())
            return model.started(record, self._worker_id, self._clock(), job_id=job_id, delivery=delivery)

        record = await self._queue.change(operation_id, transition)
        if lost is not None:
            log.warning("a job is not begun", operation_id=operation_id, reason=lost.code)
            if self._on_lost is not None:
                await self._on_lost(record)
        return claim, record

    def _lost_before_its_begin(self, record: OperationRecord, delivery: int) -> OperationFailure | None:
        attempts = self._attempts_of(record)
        if delivery > attempts and record.attempt >= attempts:  # some deliveries were put back, and not begun
            return model.WORKER_LOST
        seconds = self._max_wait_seconds()
        if seconds is not None and record.has_waited(self._clock(), seconds):
            return model.WAITED_TOO_LONG
        return None

    async def _execute(self, message: Msg, record: OperationRecord, turn: Turn) -> Outcome:
        progress = RecordedProgress(self._queue, record, self._clock)
        job = Job(record.operation_id, record.attempt, record.arguments, turn)
        work = asyncio.create_task(self._handler.run(job, progress))
        running = self._running[record.operation_id] = _Running(work, record.job_id)
        heartbeat = asyncio.create_task(self._heartbeat(message, progress, work))
        try:
            try:
                _raise_if_cancelled()
                result_ref = await work
            except asyncio.CancelledError:
                current = asyncio.current_task()
                if current is not None and current.cancelling():
                    return await self._hand_back(record, work)
                present = await self._queue.get(record.operation_id)  # cancelled by a user, or taken over
                return Outcome.DONE if model.is_over(present, record.run) else Outcome.ELSEWHERE
            except LecternError as error:
                return await self._end_failed(record, error)
            except Exception:  # the edge of foreign work: logged here, told to the user as a plain message
                log.exception("operation failed unexpectedly", kind=record.kind.value)
                return await self._end_failed(record, None)
            ended = await self._end(record, lambda r: model.succeeded(r, result_ref, self._clock()))
        finally:
            heartbeat.cancel()
            if self._running.get(record.operation_id) is running:
                del self._running[record.operation_id]
        if not model.is_over(ended, record.run):
            return Outcome.ELSEWHERE
        if self._on_success is not None:
            await self._on_success(job)
        return Outcome.DONE

    async def _hand_back(self, record: OperationRecord, work: "asyncio.Task[str]") -> Outcome:
        """We are shutting down: others may go on while our handler finishes what can't be taken back."""
        work.cancel()
        try:
            was_ours = await self._queue.hand_back(record)
        except LecternError as error:
            log.warning("could not hand a job back", reason=error.reason)
            return Outcome.RETRY
        finally:
            await asyncio.wait({work})
        return Outcome.DONE if was_ours else Outcome.ELSEWHERE

    async def _heartbeat(self, message: Msg, progress: "RecordedProgress", work: "asyncio.Task[str]") -> None:
        while True:
            await asyncio.sleep(self._heartbeat_seconds)
            try:
                await message.in_progress()
                still_ours = await progress.beat_if_due()
            except (LecternError, NatsError) as error:
                log.warning("heartbeat failed", cause=type(error).__name__)
                continue
            if not still_ours:
                work.cancel()
                return

    async def _end_failed(self, record: OperationRecord, error: LecternError | None) -> Outcome:
        if error is not None and error.retryable and record.attempt < self._attempts_of(record):
            ended = await self._end(record, lambda r: model.requeued(r, self._clock()))
            is_ours = ended.state is OperationState.QUEUED and ended.run == record.run
            return Outcome.RETRY if is_ours else self._outcome_of(ended, record)
        failure = (
            OperationFailure(error.reason, error.message, error.retryable)
            if error is not None
            else OperationFailure("INTERNAL", "Something went wrong on our side. Try again.", retryable=True)
        )
        return self._outcome_of(
            await self._end(record, lambda r: model.failed(r, failure, self._clock())), record
        )

    @staticmethod
    def _outcome_of(ended: OperationRecord, record: OperationRecord) -> Outcome:
        return Outcome.DONE if model.is_over(ended, record.run) else Outcome.ELSEWHERE

    async def _end(
        self, record: OperationRecord, transition: Callable[[OperationRecord], OperationRecord]
    ) -> OperationRecord:
        """The record as it is afterwards: ended by us, or what others made of it."""
        for tries_left in reversed(range(END_TRIES)):
            try:
                return await self._queue.change(
                    record.operation_id,
                    lambda r: transition(r) if model.is_same_delivery(r, record) else None,
                )
            except LecternError as error:
                if not error.retryable or not tries_left:
                    raise
                log.warning("the end of an operation could not be recorded yet", reason=error.reason)
                await asyncio.sleep(END_PAUSE_SECONDS)
        raise AssertionError("unreachable")


def _raise_if_cancelled() -> None:
    """asyncio.wait_for, which requests to the broker stand on, can lose a cancellation that comes with the
    answer (Python before 3.12): work that was just claimed would keep a worker from stopping."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


@dataclass(frozen=True)
class _Running:
    work: "asyncio.Task[str]"
    job_id: int


class RecordedProgress:
    """Keeps the latest progress and writes it into the record, not more often than is useful."""

    def __init__(self, queue: OperationQueue, record: OperationRecord, clock: Callable[[], float]) -> None:
        self._queue = queue
        self._record = record
        self._clock = clock
        self._latest = record.progress
        self._written_at = clock()

    async def report(self, *, phase: str, done: int, total: int = 0) -> None:
        changed_phase = phase != self._latest.phase
        if not changed_phase and total == self._latest.total:
            done = max(done, self._latest.done)  # an attempt that begins anew doesn't take back what was told
        self._latest = model.Progress(phase, done, total)
        if changed_phase or self._clock() - self._written_at >= PROGRESS_WRITE_SECONDS:
            await self.beat()

    async def beat_if_due(self) -> bool:
        return self._clock() - self._written_at < RECORD_BEAT_SECONDS or await self.beat()

    async def beat(self) -> bool:
        """Writes heartbeat and progress; False when the operation isn't ours any more."""
        self._written_at = self._clock()
        written = await self._queue.change(
            self._record.operation_id,
            lambda r: (
                model.beating(r, self._latest, self._clock())
                if model.is_same_delivery(r, self._record)
                else None
            ),
        )
        return model.is_same_delivery(written, self._record)
