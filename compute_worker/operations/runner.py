"""Takes jobs of one kind from the queue and sees to it that each is carried to a terminal state."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import structlog
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig

from compute_worker.operations.broker import JOBS_STREAM, JOBS_SUBJECT, Broker
from compute_worker.operations.delivery import DeliveredJobs, Outcome
from compute_worker.operations.model import OperationKind, OperationRecord
from compute_worker.operations.ports import Job, OperationHandler
from compute_worker.operations.queue import CANCEL_SUBJECT, OperationQueue
from compute_worker.operations.subscriptions import unsubscribe
from shared.errors import LecternError

FETCH_SECONDS = 5.0  # a request that was lost with a dead node of a cluster is made again this soon
RETRY_DELAY_SECONDS = 1.0
UNLIMITED = -1  # each listener's run is a job that is not acknowledged for as long as they listen

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


class OperationRunner:
    def __init__(
        self,
        *,
        broker: Broker,
        queue: OperationQueue,
        handler: OperationHandler,
        worker_id: str,
        options: RunnerOptions,
        on_success: Callable[[Job], Awaitable[None]] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._broker = broker
        self._queue = queue
        self._options = options
        self._jobs = DeliveredJobs(
            queue=queue,
            handler=handler,
            worker_id=worker_id,
            attempts_of=options.attempts_of,
            heartbeat_seconds=options.heartbeat_seconds,
            clock=clock,
            on_success=on_success,
        )

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
                max_ack_pending=UNLIMITED,
            ),
        )
        present = (await jobs.consumer_info()).config
        wanted = present.evolve(
            max_deliver=max(present.max_deliver or 0, deliveries),  # made by a worker that was told of fewer
            max_ack_pending=UNLIMITED,
        )
        if wanted != present:
            await self._broker.jetstream.add_consumer(JOBS_STREAM, wanted)
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
            await asyncio.gather(fetch, reconnected, return_exceptions=True)

    async def _on_cancel(self, message: Msg) -> None:
        self._jobs.cancel(message.data.decode())

    async def _deliver(self, message: Msg) -> None:
        try:
            outcome = await self._jobs.process(message)
        except asyncio.CancelledError:
            await self._settle(message, Outcome.RETRY, delay=0)
            raise
        except LecternError as error:  # ours, not the job's: it is delivered again
            log.warning("delivery failed", reason=error.reason)
            outcome = Outcome.RETRY
        except Exception:  # the loop must outlive one bad delivery
            log.exception("delivery failed")
            outcome = Outcome.RETRY
        await self._settle(message, outcome, delay=RETRY_DELAY_SECONDS)

    async def _settle(self, message: Msg, outcome: Outcome, *, delay: float) -> None:
        try:
            if outcome is Outcome.RETRY:
                await message.nak(delay=delay or None)
            elif outcome is Outcome.DONE:
                await message.ack()
        except NatsError as error:
            # The broker delivers again after ack_wait; records make that harmless.
            log.warning("could not settle a job", cause=type(error).__name__)
