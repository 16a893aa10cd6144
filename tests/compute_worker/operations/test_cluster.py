"""A broker of three servers that keeps three copies: everything goes on when one of them is killed."""

import asyncio
import os
import signal
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from compute_worker.operations import model
from compute_worker.operations.broker import (
    EVENTS_STREAM,
    JOB_STATES_STREAM,
    JOBS_STREAM,
    BrokerLimits,
    connect_broker,
)
from compute_worker.operations.events import Events
from compute_worker.operations.job_states import JobStates
from compute_worker.operations.lanes import Lane
from compute_worker.operations.model import OperationKind, OperationState
from compute_worker.operations.ports import Job, ProgressReporter
from compute_worker.operations.queue import OperationQueue
from compute_worker.operations.runner import OperationRunner, RunnerOptions
from servers.nats import NatsServer, running_nats_cluster
from shared.errors import LecternError

STREAMS = (JOBS_STREAM, EVENTS_STREAM, JOB_STATES_STREAM)


class Handler:
    async def run(self, job: Job, progress: ProgressReporter) -> str:
        return f"result/{job.arguments['number']}"


def connected(servers: list[NatsServer], replicas: int, **sizes: int) -> AbstractAsyncContextManager[object]:
    options = {"servers": [server.url for server in servers]}
    return connect_broker(options, name="test", limits=BrokerLimits(replicas=replicas, **sizes))


async def configured(broker, name: str) -> tuple[int, int]:
    config = (await broker.jetstream.stream_info(name)).config
    return config.num_replicas, config.max_bytes


async def run_one(queue: OperationQueue, number: int) -> str:
    """Patiently: while a new leader is elected a request may fail, and asking again is right."""
    async with asyncio.timeout(60):
        while True:
            try:
                await queue.submit(OperationKind.DOCUMENT, f"key-{number}", {"number": number})
                record = await queue.get(operation_id_of(number))
                if record.state is OperationState.SUCCEEDED:
                    return record.result_ref
            except LecternError as error:
                if not error.retryable:
                    raise
            await asyncio.sleep(0.05)


def operation_id_of(number: int) -> str:
    return model.operation_id_of(OperationKind.DOCUMENT, f"key-{number}")


@pytest.mark.timeout(90)
async def test_a_cluster_keeps_three_copies_and_survives_the_loss_of_a_server(tmp_path: Path) -> None:
    with running_nats_cluster(tmp_path) as servers:
        async with connected(servers, 1) as broker:
            assert [await configured(broker, name) for name in STREAMS] == [
                (1, 268_435_456), (1, 134_217_728), (1, 67_108_864)
            ]  # fmt: skip
        sizes = {"jobs_max_bytes": 1 << 20, "events_max_bytes": 2 << 20, "job_states_max_bytes": 3 << 20}
        async with connected(servers, 3, **sizes) as broker:  # the same streams, changed in place
            assert [await configured(broker, name) for name in STREAMS] == [
                (3, 1 << 20), (3, 2 << 20), (3, 3 << 20)
            ]  # fmt: skip
            states, events = JobStates(broker=broker), Events(broker=broker)
            queue = OperationQueue(broker=broker, states=states, events=events, stale_seconds=60)
            runner = OperationRunner(
                broker=broker,
                queue=queue,
                handler=Handler(),
                worker_id="worker-a",
                options=RunnerOptions(
                    lane=Lane(OperationKind.DOCUMENT),
                    max_attempts=3,
                    max_concurrent=4,
                    heartbeat_seconds=0.5,
                    ack_wait_seconds=3.0,
                ),
            )
            running = asyncio.create_task(runner.run())
            try:
                assert await run_one(queue, 1) == "result/1"
                os.kill(servers[0].pid, signal.SIGKILL)
                assert await run_one(queue, 2) == "result/2"
                assert (await queue.get(operation_id_of(1))).result_ref == "result/1"
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)


async def test_sizes_change_in_place_and_what_is_stored_stays(nats_server: NatsServer) -> None:
    async with connected([nats_server], 1) as broker:
        await JobStates(broker=broker).put("kept", {"number": 1})
        before = await broker.jetstream.stream_info(JOB_STATES_STREAM)
    async with connected([nats_server], 1, job_states_max_bytes=5 << 20) as broker:
        after = await broker.jetstream.stream_info(JOB_STATES_STREAM)
        entry = await JobStates(broker=broker).get("kept")
    assert after.config.max_bytes == 5 << 20
    assert after.created == before.created
    assert entry is not None
    assert entry.value == {"number": 1}
    async with connected([nats_server], 1):
        pass
