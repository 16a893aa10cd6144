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
from compute_worker.operations.subscriptions import lasting_subscription


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
        last_event_id = after_event_id

        async def deliver(message: Msg) -> None:
            nonlocal last_event_id
            event_id = int(message.metadata.sequence.stream)
            if event_id > last_event_id:
                last_event_id = event_id
                queue.put_nowait(Event(event_id, json.loads(message.data)))

        async def subscribe() -> Any:
            return await self._broker.jetstream.subscribe(
                f"{EVENTS_SUBJECT}.{topic}",
                stream=EVENTS_STREAM,
                cb=deliver,
                ordered_consumer=True,
                config=ConsumerConfig(
                    deliver_policy=DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=last_event_id + 1
                ),
            )

        async with lasting_subscription(self._broker, subscribe) as subscription:
            yield Following(queue, await _stored_count(subscription))


async def _stored_count(subscription: Any) -> int:
    try:
        info = await subscription.consumer_info()
    except (NatsError, TimeoutError) as error:
        raise broker_unavailable(error) from error
    sent = info.delivered.consumer_seq if info.delivered else 0
    return int(sent + (info.num_pending or 0))
