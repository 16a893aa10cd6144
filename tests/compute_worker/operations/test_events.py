"""Following a topic: nothing is held back, and nothing that was missed stays missing."""

import asyncio
import secrets

import pytest

from compute_worker.operations import events as events_module
from compute_worker.operations import subscriptions
from compute_worker.operations.broker import EVENTS_STREAM, EVENTS_SUBJECT
from compute_worker.operations.events import Event, Following


@pytest.fixture
def topic() -> str:
    return f"test.{secrets.token_hex(8)}"


async def test_a_topic_without_events_has_nothing_stored(operations, topic):
    async with operations.events.follow(topic) as following:
        assert await following.stored() == []


async def test_who_has_seen_everything_is_told_only_what_is_new(operations, topic):
    last = await operations.events.publish(topic, {"n": 1})
    async with operations.events.follow(topic, after_event_id=last) as following:
        assert await following.stored() == []
        await operations.events.publish(topic, {"n": 2})
        assert (await asyncio.wait_for(following.queue.get(), 5)).payload == {"n": 2}


async def test_stored_events_that_never_come_hold_back_nothing(monkeypatch):
    monkeypatch.setattr(events_module, "REPLAY_SILENCE_SECONDS", 0.05)
    queue: asyncio.Queue[Event] = asyncio.Queue()
    queue.put_nowait(Event(3, {"n": 3}))
    following = Following(queue, last_stored_id=7)
    assert [event.event_id for event in await asyncio.wait_for(following.stored(), 5)] == [3]


async def test_a_consumer_that_the_broker_lost_is_replaced_and_nothing_is_missed(
    operations, topic, monkeypatch
):
    monkeypatch.setattr(subscriptions, "LOOK_SECONDS", 0.1)
    jetstream = operations.broker.jetstream
    async with operations.events.follow(topic) as following:
        for consumer in await jetstream.consumers_info(EVENTS_STREAM):
            if consumer.config.filter_subject == f"{EVENTS_SUBJECT}.{topic}":
                await jetstream.delete_consumer(EVENTS_STREAM, consumer.name)
        for number in range(3):
            await operations.events.publish(topic, {"n": number})
        async with asyncio.timeout(5):  # the client's own heartbeats notice it after ten seconds and more
            assert [(await following.queue.get()).payload["n"] for _ in range(3)] == [0, 1, 2]
