"""The broker's stores when they are full: what is refused, what goes on, and what is said of it."""

import secrets
from contextlib import suppress

import pytest
from structlog.testing import capture_logs

from compute_worker.diagnostics.looks import look_at_broker
from compute_worker.operations.broker import BrokerLimits, connect_broker, ensure_stores
from compute_worker.operations.events import Events
from compute_worker.operations.job_states import JobStates
from compute_worker.operations.model import OperationKind
from compute_worker.operations.queue import OperationQueue
from servers.nats import running_nats
from shared.errors import Code, LecternError

ROOM = 40_000


@pytest.fixture
async def broker(tmp_path, free_port):
    """One of the test's own, with little room."""
    limits = BrokerLimits(jobs_max_bytes=ROOM, events_max_bytes=ROOM, job_states_max_bytes=ROOM)
    with running_nats(tmp_path / "nats") as server:
        async with connect_broker({"servers": [server.url]}, name="test", limits=limits) as broker:
            yield broker


async def fill(states: JobStates, share: float) -> None:
    for number in range(int(ROOM * share / 1000)):
        await states.put(f"filler.{number}", {"text": "x" * 900})


async def test_a_full_bucket_refuses_what_is_new_says_what_to_raise_and_lets_go_on_what_is_there(broker):
    states, events = JobStates(broker=broker), Events(broker=broker)
    queue = OperationQueue(broker=broker, states=states, events=events, stale_seconds=60)
    running = await queue.submit(OperationKind.DOCUMENT, "running", {})
    with capture_logs() as logs, pytest.raises(LecternError):
        await fill(states, 2)
    assert "COMPUTE_JOB_STATES_MAX_BYTES" in logs[0]["event"]
    with capture_logs() as logs, pytest.raises(LecternError) as caught:
        await queue.submit(OperationKind.DOCUMENT, "x" * 900, {})
    assert (caught.value.code, caught.value.reason) == (Code.RESOURCE_EXHAUSTED, "JOB_STATES_FULL")
    assert caught.value.retryable
    assert logs == []  # it has just been said
    assert (await queue.cancel(running.operation_id)).state.is_terminal
    # Sizes are changed in place: with more room there is nothing else to do.
    await ensure_stores(broker.jetstream, BrokerLimits(job_states_max_bytes=10 * ROOM))
    await queue.submit(OperationKind.DOCUMENT, "x" * 900, {})


async def test_a_full_events_stream_forgets_the_oldest_and_tells_what_is_new(broker):
    events = Events(broker=broker)
    topic = secrets.token_hex(4)
    first = await events.publish(topic, {"n": 0, "text": "x" * 900})
    async with events.follow(topic) as following:
        for number in range(1, 100):
            await events.publish(topic, {"n": number, "text": "x" * 900})
        seen = [await following.queue.get() for _ in range(100)]
    assert [event.payload["n"] for event in seen] == list(range(100))  # whoever follows misses nothing
    async with events.follow(topic, after_event_id=first) as following:
        stored = [event.payload["n"] for event in await following.stored()]
    assert stored == list(range(stored[0], 100))  # who comes late gets what is left, to the end
    assert 1 < stored[0] < 99


async def test_the_system_check_warns_before_a_store_is_full(broker):
    states = JobStates(broker=broker)
    assert "3 stores answer" in await look_at_broker(broker)
    await fill(states, 0.8)
    assert "3 stores answer" in await look_at_broker(broker)
    for number in range(20):  # up to nine tenths
        with suppress(LecternError):
            await states.put(f"more.{number}", {"text": "x" * 900})
    with pytest.raises(LecternError) as caught:
        await look_at_broker(broker)
    assert caught.value.reason == "JOB_STATES_NEARLY_FULL"
    assert "COMPUTE_JOB_STATES_MAX_BYTES" in caught.value.message


async def test_the_system_check_tells_how_far_a_full_events_stream_reaches_back(broker):
    events = Events(broker=broker)
    for number in range(int(ROOM * 0.8 / 1000)):
        await events.publish("topic", {"n": number, "text": "x" * 900})
    assert "3 stores answer" in await look_at_broker(broker)
    for number in range(50):  # the oldest are dropped
        await events.publish("topic", {"n": number, "text": "x" * 900})
    with pytest.raises(LecternError) as caught:
        await look_at_broker(broker)
    assert caught.value.reason == "EVENTS_STREAM_FULL"
    assert "COMPUTE_EVENTS_STREAM_MAX_BYTES" in caught.value.message
    assert "for 0 min instead of 24 h" in caught.value.message
    await ensure_stores(broker.jetstream, BrokerLimits(events_max_bytes=10 * ROOM))
    assert "3 stores answer" in await look_at_broker(broker)
