"""The operation-events stream: publish to a topic, replay a topic from any event on, then follow it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.api import ConsumerConfig, DeliverPolicy

from compute_worker.operations.broker import EVENTS_STREAM, EVENTS_SUBJECT, Broker, broker_unavailable
from compute_worker.operations.job_states import unsubscribe


@dataclass(frozen=True)
class Event:
    event_id: int  # the stream's sequence: increasing, not gapless
    payload: dict[str, Any]


@dataclass(frozen=True)
class Following:
    """A topic's events from some event on: first `replay_count` stored ones, then new ones as they come."""

    queue: "asyncio.Queue[Event]"
    replay_count: int


class Events:
    def __init__(self, *, broker: Broker) -> None:
        self._broker = broker

    async def publish(self, topic: str, payload: dict[str, Any]) -> int:
        body = json.dumps(payload, separators=(",", ":")).encode()
        try:
            ack = await self._broker.jetstream.publish(f"{EVENTS_SUBJECT}.{topic}", body)
        except (NatsError, TimeoutError) as error:
            raise broker_unavailable(error) from error
        return int(ack.seq)

    @asynccontextmanager
    async def follow(self, topic: str, *, after_event_id: int = 0) -> AsyncIterator[Following]:
        queue: asyncio.Queue[Event] = asyncio.Queue()

        async def deliver(message: Msg) -> None:
            queue.put_nowait(Event(int(message.metadata.sequence.stream), json.loads(message.data)))

        config = ConsumerConfig(
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=after_event_id + 1
        )
        try:
            subscription = await self._broker.jetstream.subscribe(
                f"{EVENTS_SUBJECT}.{topic}",
                stream=EVENTS_STREAM,
                cb=deliver,
                ordered_consumer=True,
                config=config,
            )
            info = await subscription.consumer_info()
        except (NatsError, TimeoutError) as error:
            raise broker_unavailable(error) from error
        sent = info.delivered.consumer_seq if info.delivered else 0
        try:
            yield Following(queue, sent + (info.num_pending or 0))
        finally:
            await unsubscribe(subscription)
