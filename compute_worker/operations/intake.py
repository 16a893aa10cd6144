"""One lane's jobs as the broker gives them out: waited for, asked for at once, put back unread."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig

from compute_worker.operations.broker import JOBS_STREAM, REQUEST_TIMEOUT_SECONDS, Broker
from compute_worker.operations.lanes import Lane
from compute_worker.operations.subscriptions import unsubscribe

FETCH_SECONDS = 5.0  # a request that was lost with a dead node of a cluster is made again this soon
RETRY_DELAY_SECONDS = 1.0
MOST_PUT_BACKS = 20  # deliveries are counted by the broker, whatever comes of them
UNLIMITED = -1  # each listener's run is a job that is not acknowledged for as long as they listen
_ONE_AT_ONCE = json.dumps({"batch": 1, "no_wait": True}).encode()

log = structlog.get_logger(__name__)


class Intake:
    def __init__(self, *, broker: Broker, lane: Lane, ack_wait_seconds: float, max_attempts: int) -> None:
        self._broker = broker
        self._lane = lane
        self._ack_wait_seconds = ack_wait_seconds
        # One delivery more than attempts, which only records the failure, and those that were put back.
        self._deliveries = max_attempts + 1 + MOST_PUT_BACKS
        self._jobs: JetStreamContext.PullSubscription | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Left before running jobs are handed back, or the broker would give them to our last request."""
        self._jobs = await self._subscribe()
        try:
            yield
        finally:
            await unsubscribe(self._jobs)

    async def wait(self) -> Msg | None:
        """The next job; None when there was none for a while, or the broker couldn't be asked."""
        try:
            return await self._fetch()
        except TimeoutError:
            return None
        except NatsError as error:
            log.warning("cannot fetch jobs, trying again", cause=type(error).__name__)
            await asyncio.sleep(RETRY_DELAY_SECONDS)
            return None

    async def take(self) -> Msg | None:
        """The next job if one waits now. Cancelled, it leaves none with us."""
        subject = f"$JS.API.CONSUMER.MSG.NEXT.{JOBS_STREAM}.{self._lane.consumer}"
        asking = asyncio.ensure_future(
            # With an inbox of its own: a job arrives under the subject that it was published on.
            self._broker.client.request(
                subject, _ONE_AT_ONCE, timeout=REQUEST_TIMEOUT_SECONDS, old_style=True
            )
        )
        try:
            message = await asyncio.shield(asking)
        except asyncio.CancelledError:
            await asyncio.wait({asking}, timeout=RETRY_DELAY_SECONDS)
            if asking.done() and not asking.exception() and not _is_status(asking.result()):
                await asking.result().nak()
            asking.cancel()
            raise
        except (NatsError, TimeoutError) as error:
            log.warning("cannot ask for jobs, trying again", cause=type(error).__name__)
            await asyncio.sleep(RETRY_DELAY_SECONDS)
            return None
        return None if _is_status(message) else message

    async def put_back(self, message: Msg) -> bool:
        """To its place in the queue, for whoever is free; False when it has to stay with us."""
        if message.metadata.num_delivered > MOST_PUT_BACKS:
            return False
        try:
            await message.nak()
        except NatsError as error:
            log.warning("a job could not be put back", cause=type(error).__name__)
            return False
        return True

    async def _subscribe(self) -> JetStreamContext.PullSubscription:
        """A cluster that elects a leader, or copies a stream to new servers, refuses for a while."""
        while True:
            try:
                return await self._subscribe_once()
            except (NatsError, TimeoutError) as error:
                log.warning("cannot subscribe to jobs, trying again", cause=type(error).__name__)
                await asyncio.sleep(RETRY_DELAY_SECONDS)

    async def _subscribe_once(self) -> JetStreamContext.PullSubscription:
        jobs = await self._broker.jetstream.pull_subscribe(
            self._lane.subject,
            durable=self._lane.consumer,
            stream=JOBS_STREAM,
            config=ConsumerConfig(
                ack_policy=AckPolicy.EXPLICIT,
                ack_wait=self._ack_wait_seconds,
                max_deliver=self._deliveries,
                max_ack_pending=UNLIMITED,
            ),
        )
        present = (await jobs.consumer_info()).config
        wanted = present.evolve(
            # It may have been made by a worker that was told of fewer.
            max_deliver=max(present.max_deliver or 0, self._deliveries),
            max_ack_pending=UNLIMITED,
        )
        if wanted != present:
            await self._broker.jetstream.add_consumer(JOBS_STREAM, wanted)
        return jobs

    async def _fetch(self) -> Msg | None:
        """Nothing when the broker came back meanwhile: it has forgotten what we asked."""
        if self._jobs is None:
            raise RuntimeError("the intake is not open")
        fetch = asyncio.ensure_future(self._jobs.fetch(1, timeout=FETCH_SECONDS))
        reconnected = asyncio.ensure_future(self._broker.reconnections.next())
        try:
            await asyncio.wait({fetch, reconnected}, return_when=asyncio.FIRST_COMPLETED)
            messages = fetch.result() if fetch.done() else []
            return messages[0] if messages else None
        finally:
            reconnected.cancel()
            fetch.cancel()
            await asyncio.gather(fetch, reconnected, return_exceptions=True)


def _is_status(message: Msg) -> bool:
    """No job, but the broker's word that there is none."""
    return JetStreamContext.is_status_msg(message) is not None
