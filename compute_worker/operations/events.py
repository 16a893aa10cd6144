"""The operation-events stream: publish to a topic, replay a topic from any event on, then follow it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import structlog
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.api import ConsumerConfig, DeliverPolicy
from nats.js.errors import NotFoundError

from compute_worker.operations.broker import EVENTS_STREAM, EVENTS_SUBJECT, Broker, broker_unavailable
from compute_worker.operations.subscriptions import lasting_subscription

REPLAY_SILENCE_SECONDS = 3.0  # they come in milliseconds; less than what a listener waits for a feed

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Event:
    event_id: int  # the stream's sequence: increasing, not gapless
    payload: dict[str, Any]


@dataclass(frozen=True)
class Following:
    """A topic's events from some event on: first those that were stored, then new ones as they come."""

    queue: "asyncio.Queue[Event]"
    last_stored_id: int  # of the topic's latest event when the following began; 0 when there was none

    async def stored(self) -> list[Event]:
        """The events up to the latest stored one; call it first.

        The end is known by that event's id and not by a count: a count that is one too high would hold back
        what has come until something new happens. Events that were dropped to make room never come.
        """
        events: list[Event] = []
        while (events[-1].event_id if events else 0) < self.last_stored_id:
            try:
                async with asyncio.timeout(REPLAY_SILENCE_SECONDS):
                    events.append(await self.queue.get())
            except TimeoutError:
                log.warning("stored events do not come", expected=self.last_stored_id)
                break
        return events


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
        last_stored_id = await self._last_id(topic)

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

        async def is_behind() -> bool:
            return await self._last_id(topic) > last_event_id

        async with lasting_subscription(self._broker, subscribe, is_behind=is_behind):
            yield Following(queue, last_stored_id if last_stored_id > after_event_id else 0)

    async def _last_id(self, topic: str) -> int:
        """0 when nothing is stored."""
        try:
            last = await self._broker.jetstream.get_last_msg(EVENTS_STREAM, f"{EVENTS_SUBJECT}.{topic}")
        except NotFoundError:
            return 0
        except (NatsError, TimeoutError) as error:
            raise broker_unavailable(error) from error
        return int(last.seq or 0)
