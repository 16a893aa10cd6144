"""Takes jobs of one kind from the queue and carries each to a terminal state.

A job ends in a value (Outcome); only `_settle` turns it into ack, nak or term. A worker that dies stops
heartbeating: the broker delivers the job again, and the record's worker id fences the dead one off.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import structlog
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig

from compute_worker.operations import model
from compute_worker.operations.broker import JOBS_STREAM, JOBS_SUBJECT, Broker
from compute_worker.operations.model import OperationFailure, OperationKind, OperationRecord, OperationState
from compute_worker.operations.ports import Job, OperationHandler
from compute_worker.operations.queue import CANCEL_SUBJECT, OperationQueue
from compute_worker.operations.subscriptions import unsubscribe
from shared.errors import LecternError

FETCH_SECONDS = 5.0  # a request that was lost with a dead node of a cluster is made again this soon
PROGRESS_WRITE_SECONDS = 0.25  # a record is written at most this often for progress alone
RETRY_DELAY_SECONDS = 1.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class RunnerOptions:
    kind: OperationKind
    max_attempts: int
    max_concurrent: int
    heartbeat_seconds: float  # a third or less of ack_wait_seconds
    ack_wait_seconds: float  # how long a silent worker keeps a job
    # By a job's arguments, for jobs that are begun less often, or more often, than max_attempts.
    own_attempts: Callable[[Mapping[str, Any]], int | None] = lambda _arguments: None

    def attempts_of(self, record: OperationRecord) -> int:
        own = self.own_attempts(record.arguments)
        return self.max_attempts if own is None else own


@dataclass(frozen=True)
class Outcome:
    """How a delivery ended: done (record is terminal or not ours any more) or retry."""

    retry: bool


DONE = Outcome(retry=False)
RETRY = Outcome(retry=True)


class OperationRunner:
    def __init__(
        self,
        *,
        broker: Broker,
        queue: OperationQueue,
        handler: OperationHandler,
        worker_id: str,
        options: RunnerOptions,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._broker = broker
        self._queue = queue
        self._handler = handler
        self._worker_id = worker_id
        self._options = options
        self._clock = clock
        self._running: dict[str, asyncio.Task[str]] = {}

    async def run(self) -> None:
        """Works until cancelled; then hands running jobs back to the queue."""
        free = asyncio.Semaphore(self._options.max_concurrent)
        cancels = await self._broker.client.subscribe(CANCEL_SUBJECT, cb=self._on_cancel)
        try:
            async with asyncio.TaskGroup() as deliveries, self._subscription() as jobs:
                while True:
                    await free.acquire()
                    message = await self._next_message(jobs)
                    delivery = deliveries.create_task(self._deliver(message))
                    delivery.add_done_callback(lambda _: free.release())
        finally:
            await unsubscribe(cancels)

    @asynccontextmanager
    async def _subscription(self) -> AsyncIterator[JetStreamContext.PullSubscription]:
        """Left before running jobs are handed back, or the broker would give them to our last request."""
        jobs = await self._subscribe()
        try:
            yield jobs
        finally:
            await unsubscribe(jobs)

    async def _subscribe(self) -> JetStreamContext.PullSubscription:
        """A cluster that elects a leader, or copies a stream to new servers, refuses for a while."""
        while True:
            try:
                return await self._subscribe_once()
            except (NatsError, TimeoutError) as error:
                log.warning("cannot subscribe to jobs, trying again", cause=type(error).__name__)
                await asyncio.sleep(RETRY_DELAY_SECONDS)

    async def _subscribe_once(self) -> JetStreamContext.PullSubscription:
        kind = self._options.kind.value
        # One delivery more than attempts: the last one only records the failure.
        deliveries = self._options.max_attempts + 1
        jobs = await self._broker.jetstream.pull_subscribe(
            f"{JOBS_SUBJECT}.{kind}",
            durable=f"worker-{kind}",
            stream=JOBS_STREAM,
            config=ConsumerConfig(
                ack_policy=AckPolicy.EXPLICIT,
                ack_wait=self._options.ack_wait_seconds,
                max_deliver=deliveries,
                max_ack_pending=1000,
            ),
        )
        present = (await jobs.consumer_info()).config
        if (present.max_deliver or 0) < deliveries:  # made by a worker that was told of fewer
            await self._broker.jetstream.add_consumer(JOBS_STREAM, present.evolve(max_deliver=deliveries))
        return jobs

    async def _next_message(self, subscription: JetStreamContext.PullSubscription) -> Msg:
        while True:
            try:
                messages = await self._fetch(subscription)
            except TimeoutError:
                continue
            except NatsError as error:
                log.warning("cannot fetch jobs, trying again", cause=type(error).__name__)
                await asyncio.sleep(RETRY_DELAY_SECONDS)
                continue
            if messages:
                return messages[0]

    async def _fetch(self, subscription: JetStreamContext.PullSubscription) -> list[Msg]:
        """Nothing when the broker came back meanwhile: it has forgotten what we asked."""
        fetch = asyncio.ensure_future(subscription.fetch(1, timeout=FETCH_SECONDS))
        reconnected = asyncio.ensure_future(self._broker.reconnections.next())
        try:
            await asyncio.wait({fetch, reconnected}, return_when=asyncio.FIRST_COMPLETED)
            return fetch.result() if fetch.done() else []
        finally:
            reconnected.cancel()
            fetch.cancel()

    async def _on_cancel(self, message: Msg) -> None:
        task = self._running.get(message.data.decode())
        if task is not None:
            task.cancel()

    async def _deliver(self, message: Msg) -> None:
        try:
            outcome = await self._process(message)
        except asyncio.CancelledError:
            await self._settle(message, RETRY, delay=0)
            raise
        except Exception:  # the loop must outlive one bad delivery
            log.exception("delivery failed")
            outcome = RETRY
        await self._settle(message, outcome, delay=RETRY_DELAY_SECONDS)

    async def _settle(self, message: Msg, outcome: Outcome, *, delay: float) -> None:
        try:
            if outcome.retry:
                await message.nak(delay=delay or None)
            else:
                await message.ack()
        except NatsError as error:
            # The broker delivers again after ack_wait; records make that harmless.
            log.warning("could not settle a job", cause=type(error).__name__)

    async def _process(self, message: Msg) -> Outcome:
        operation_id, _, run = message.data.decode().partition(" ")
        try:
            record = await self._claim(operation_id, int(run), message.metadata.num_delivered)
        except LecternError as error:
            log.warning("dropping a job without a record", operation_id=operation_id, reason=error.reason)
            return DONE
        if record is None:
            return DONE
        with structlog.contextvars.bound_contextvars(operation_id=operation_id):
            return await self._execute(message, record)

    async def _claim(self, operation_id: str, run: int, deliveries: int) -> OperationRecord | None:
        """The record as ours and running, or None when there is nothing to do."""

        def transition(record: OperationRecord) -> OperationRecord | None:
            if record.run != run or record.state.is_terminal:
                return None
            if deliveries > self._options.attempts_of(record):
                failure = OperationFailure(
                    "WORKER_LOST", "The work was interrupted too often. Try again.", retryable=True
                )
                return model.failed(record, failure, self._clock())
            return model.started(record, self._worker_id, self._clock())

        record = await self._queue.change(operation_id, transition)
        is_ours = record.state is OperationState.RUNNING and record.run == run
        return record if is_ours and record.worker_id == self._worker_id else None

    async def _execute(self, message: Msg, record: OperationRecord) -> Outcome:
        progress = _RecordedProgress(self._queue, record, self._worker_id, self._clock)
        job = Job(record.operation_id, record.attempt, record.arguments)
        work = asyncio.create_task(self._handler.run(job, progress))
        self._running[record.operation_id] = work
        heartbeat = asyncio.create_task(self._heartbeat(message, progress, work))
        try:
            result_ref = await work
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is not None and current.cancelling():  # we are shutting down: give the job back
                work.cancel()
                raise
            return DONE  # cancelled by a user, or taken over by another worker
        except LecternError as error:
            return await self._end_failed(record, error)
        except Exception:  # the edge of foreign work: logged here, told to the user as a plain message
            log.exception("operation failed unexpectedly", kind=record.kind.value)
            return await self._end_failed(record, None)
        finally:
            heartbeat.cancel()
            self._running.pop(record.operation_id, None)
        await self._end(record, lambda r: model.succeeded(r, result_ref, self._clock()))
        return DONE

    async def _heartbeat(
        self, message: Msg, progress: "_RecordedProgress", work: "asyncio.Task[str]"
    ) -> None:
        while True:
            await asyncio.sleep(self._options.heartbeat_seconds)
            try:
                await message.in_progress()
                still_ours = await progress.beat()
            except (LecternError, NatsError) as error:
                log.warning("heartbeat failed", cause=type(error).__name__)
                continue
            if not still_ours:
                work.cancel()
                return

    async def _end_failed(self, record: OperationRecord, error: LecternError | None) -> Outcome:
        if error is not None and error.retryable and record.attempt < self._options.attempts_of(record):
            await self._end(record, lambda r: model.requeued(r, self._clock()))
            return RETRY
        failure = (
            OperationFailure(error.reason, error.message, error.retryable)
            if error is not None
            else OperationFailure("INTERNAL", "Something went wrong on our side. Try again.", retryable=True)
        )
        await self._end(record, lambda r: model.failed(r, failure, self._clock()))
        return DONE

    async def _end(
        self, record: OperationRecord, transition: Callable[[OperationRecord], OperationRecord]
    ) -> None:
        await self._queue.change(
            record.operation_id, lambda r: transition(r) if _is_same_delivery(r, record) else None
        )


def _is_same_delivery(present: OperationRecord, ours: OperationRecord) -> bool:
    return (
        present.state is OperationState.RUNNING
        and present.run == ours.run
        and present.attempt == ours.attempt
        and present.worker_id == ours.worker_id
    )


class _RecordedProgress:
    """Keeps the latest progress and writes it into the record, not more often than is useful."""

    def __init__(
        self, queue: OperationQueue, record: OperationRecord, worker_id: str, clock: Callable[[], float]
    ) -> None:
        self._queue = queue
        self._record = record
        self._worker_id = worker_id
        self._clock = clock
        self._latest = record.progress
        self._written_at = 0.0

    async def report(self, *, phase: str, done: int, total: int = 0) -> None:
        changed_phase = phase != self._latest.phase
        self._latest = model.Progress(phase, done, total)
        if changed_phase or self._clock() - self._written_at >= PROGRESS_WRITE_SECONDS:
            await self.beat()

    async def beat(self) -> bool:
        """Writes heartbeat and progress; False when the operation isn't ours any more."""
        self._written_at = self._clock()
        written = await self._queue.change(
            self._record.operation_id,
            lambda r: (
                model.beating(r, self._latest, self._clock()) if _is_same_delivery(r, self._record) else None
            ),
        )
        return _is_same_delivery(written, self._record)
