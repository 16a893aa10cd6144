"""The connection to the broker, and the stores that Lectern keeps there.

jobs stream    lectern.jobs.<kind>              work queue, one message per submitted run
events stream  lectern.events.<topic>           what happened, replayable by sequence
job states     $KV.lectern_job_states.<key>     records, sessions, cursors, claims
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import NotFoundError

from compute_worker.obstacle import Obstacle
from compute_worker.operations.connection import connect_client, when_available
from shared.errors import Code, LecternError

JOBS_STREAM = "lectern_jobs"
JOBS_SUBJECT = "lectern.jobs"
EVENTS_STREAM = "lectern_events"
EVENTS_SUBJECT = "lectern.events"
JOB_STATES_BUCKET = "lectern_job_states"
JOB_STATES_STREAM = f"KV_{JOB_STATES_BUCKET}"
JOB_STATES_SUBJECT = f"$KV.{JOB_STATES_BUCKET}"

REQUEST_TIMEOUT_SECONDS = 5.0
CHECK_SECONDS = 3.0
DEDUP_WINDOW_SECONDS = 120.0
STREAM_FULL = 10077  # JetStream's JSStreamStoreFailedF: "maximum bytes exceeded"


@dataclass(frozen=True)
class BrokerLimits:
    """Sizes as the specification's part 8 sets them."""

    jobs_max_bytes: int = 268_435_456
    events_max_bytes: int = 134_217_728
    job_states_max_bytes: int = 67_108_864
    replicas: int = 1


class Reconnections:
    """Tells whoever follows something that the broker forgot them and has to be asked again."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def announce(self) -> None:
        happened, self._next = self._next, asyncio.Event()
        happened.set()

    async def next(self) -> None:
        await self._next.wait()


class Broker:
    """The connection, and the stores behind it. Who asks before both are there gets UNAVAILABLE at once."""

    def __init__(self, *, options: Mapping[str, Any], name: str, limits: BrokerLimits) -> None:
        """options are the client's own: servers and credentials."""
        self.reconnections = Reconnections()
        self._options = options
        self._name = name
        self._limits = limits
        self._client = Client()
        self._jetstream = self._client.jetstream(timeout=REQUEST_TIMEOUT_SECONDS)
        self._obstacle: Obstacle | None = Obstacle("The broker has not been asked yet.")

    async def connect(self) -> None:
        """Waits for the broker and makes the stores. The connection is kept up across the broker's restarts.

        Raises FAILED_PRECONDITION, in an operator's words, for what waiting won't mend.
        """
        self._obstacle = obstacle = Obstacle("The broker has not answered yet.")
        await connect_client(
            self._client,
            self._options,
            name=self._name,
            reconnected=self.reconnections.announce,
            obstacle=obstacle,
        )
        await when_available(
            lambda: ensure_stores(self._jetstream, self._limits),
            replicas=self._limits.replicas,
            obstacle=obstacle,
        )
        self._obstacle = None
        obstacle.is_gone("The broker is there now.")

    async def close(self) -> None:
        await self._client.close()

    @property
    def client(self) -> Client:
        self._require()
        return self._client

    @property
    def jetstream(self) -> JetStreamContext:
        self._require()
        return self._jetstream

    @property
    def obstacle(self) -> Obstacle | None:
        """None once the broker has been there."""
        return self._obstacle

    def _require(self) -> None:
        if self._obstacle is not None:
            raise _unavailable(self._obstacle.cause)


def broker_unavailable(error: Exception) -> LecternError:
    return _unavailable(type(error).__name__)


def _unavailable(cause: str) -> LecternError:
    return LecternError(
        Code.UNAVAILABLE,
        "The message broker did not answer. Trying again may help.",
        reason="BROKER_UNAVAILABLE",
        details={"cause": cause},
    )


def job_states_full() -> LecternError:
    """What is new needs a new key; what runs changes those that it has, and goes on."""
    return LecternError(
        Code.RESOURCE_EXHAUSTED,
        "There is no room to note new work just now. Try again in a while.",
        reason="JOB_STATES_FULL",
    )


@asynccontextmanager
async def open_broker(
    options: Mapping[str, Any], *, name: str, limits: BrokerLimits
) -> AsyncIterator[Broker]:
    """Not connected yet."""
    broker = Broker(options=options, name=name, limits=limits)
    try:
        yield broker
    finally:
        await broker.close()


@asynccontextmanager
async def connect_broker(
    options: Mapping[str, Any], *, name: str, limits: BrokerLimits
) -> AsyncIterator[Broker]:
    """For what is nothing without it."""
    async with open_broker(options, name=name, limits=limits) as broker:
        await broker.connect()
        yield broker


async def check_broker(broker: Broker) -> None:
    """Raises when the broker does not answer for our streams, with what anybody may know.

    Not by the client's own flush: one that is called off, as by a prober that has gone, makes the client deaf
    with the broker's next answer, until it notices.
    """
    if broker.obstacle is not None:
        raise LecternError(
            Code.UNAVAILABLE,
            f"The broker is not there yet ({broker.obstacle.cause}). The worker's log says what to do.",
            reason="BROKER_UNAVAILABLE",
        )
    async with asyncio.timeout(CHECK_SECONDS):
        await broker.jetstream.stream_info(JOBS_STREAM)


async def ensure_stores(jetstream: JetStreamContext, limits: BrokerLimits) -> None:
    """Creates the two streams and the bucket, or changes them in place to the given sizes."""
    for config in _store_configs(limits):
        await _ensure(jetstream, config)


def _store_configs(limits: BrokerLimits) -> tuple[StreamConfig, ...]:
    return (
        StreamConfig(
            name=JOBS_STREAM,
            subjects=[f"{JOBS_SUBJECT}.>"],
            retention=RetentionPolicy.WORK_QUEUE,
            storage=StorageType.FILE,
            max_bytes=limits.jobs_max_bytes,
            num_replicas=limits.replicas,
            discard=DiscardPolicy.NEW,  # a full queue refuses new work instead of dropping old
            duplicate_window=DEDUP_WINDOW_SECONDS,
        ),
        StreamConfig(
            name=EVENTS_STREAM,
            subjects=[f"{EVENTS_SUBJECT}.>"],
            storage=StorageType.FILE,
            max_bytes=limits.events_max_bytes,
            max_age=86_400,  # a session lives 30 minutes past its last listener; a day is ample
            num_replicas=limits.replicas,
            duplicate_window=DEDUP_WINDOW_SECONDS,
        ),
        StreamConfig(
            # The layout of a NATS key-value bucket (ADR-8), so that its own tools can read it.
            name=JOB_STATES_STREAM,
            subjects=[f"{JOB_STATES_SUBJECT}.>"],
            storage=StorageType.FILE,
            max_bytes=limits.job_states_max_bytes,
            max_msgs_per_subject=1,
            num_replicas=limits.replicas,
            discard=DiscardPolicy.NEW,
            allow_rollup_hdrs=True,
            allow_msg_ttl=True,
            deny_delete=True,
            duplicate_window=DEDUP_WINDOW_SECONDS,
        ),
    )


async def _ensure(jetstream: JetStreamContext, config: StreamConfig) -> None:
    try:
        await jetstream.stream_info(config.name or "")
    except NotFoundError:
        await jetstream.add_stream(config)
    else:
        await jetstream.update_stream(config)
