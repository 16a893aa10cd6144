"""A real broker, and operations on it; each test has a namespace of its own by random keys."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import pytest

from compute_worker.operations.broker import Broker, BrokerLimits, connect_broker
from compute_worker.operations.events import Events
from compute_worker.operations.job_states import JobStates
from compute_worker.operations.lanes import LANES, Lane
from compute_worker.operations.model import OperationKind
from compute_worker.operations.ports import OperationHandler
from compute_worker.operations.queue import OperationQueue
from compute_worker.operations.runner import OperationRunner, RunnerOptions


@dataclass
class Operations:
    """Everything one worker has of the queue."""

    broker: Broker
    states: JobStates
    events: Events
    queue: OperationQueue

    @asynccontextmanager
    async def runner(
        self,
        handler: OperationHandler,
        *,
        worker_id: str = "worker-a",
        kind: OperationKind = OperationKind.DOCUMENT,
        max_attempts: int = 2,
        ack_wait_seconds: float = 2.0,
        heartbeat_seconds: float = 0.3,
        max_concurrent: int = 4,
        own_attempts: Callable[[Mapping[str, object]], int | None] = lambda _arguments: None,
    ) -> AsyncIterator["asyncio.Task[None]"]:
        runner = OperationRunner(
            broker=self.broker,
            queue=self.queue,
            handler=handler,
            worker_id=worker_id,
            options=RunnerOptions(
                lane=Lane(kind),
                max_attempts=max_attempts,
                max_concurrent=max_concurrent,
                heartbeat_seconds=heartbeat_seconds,
                ack_wait_seconds=ack_wait_seconds,
                own_attempts=own_attempts,
            ),
        )
        task = asyncio.create_task(runner.run())
        try:
            yield task
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


@asynccontextmanager
async def _open(nats_server) -> AsyncIterator[Operations]:
    async with connect_broker({"servers": [nats_server.url]}, name="test", limits=BrokerLimits()) as broker:
        states = JobStates(broker=broker)
        events = Events(broker=broker)
        queue = OperationQueue(broker=broker, states=states, events=events, stale_seconds=60)
        yield Operations(broker, states, events, queue)


@pytest.fixture
async def operations(nats_server) -> AsyncIterator[Operations]:
    async with _open(nats_server) as operations:
        yield operations
        for name in {"worker-document", "worker-playback", *(lane.consumer for lane in LANES)}:
            with contextlib.suppress(Exception):
                await operations.broker.jetstream.delete_consumer("lectern_jobs", name)
        await operations.broker.jetstream.purge_stream("lectern_jobs")


@pytest.fixture
def open_worker(nats_server) -> Callable[[], AbstractAsyncContextManager[Operations]]:
    return lambda: _open(nats_server)


@pytest.fixture
def another_worker(nats_server) -> AbstractAsyncContextManager[Operations]:
    return _open(nats_server)
