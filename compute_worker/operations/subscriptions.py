"""Ordered subscriptions that survive the broker's restarts, and their end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import structlog
from nats.errors import Error as NatsError

from compute_worker.operations.broker import Broker, broker_unavailable

RESUBSCRIBE_SECONDS = 0.2

Subscribe = Callable[[], Awaitable[Any]]
log = structlog.get_logger(__name__)


@asynccontextmanager
async def lasting_subscription(broker: Broker, subscribe: Subscribe) -> AsyncIterator[Any]:
    """The subscription, made anew by `subscribe` after every reconnection.

    The client notices a forgotten consumer too, but only after its heartbeats have failed for a while.
    """
    try:
        holder = [await subscribe()]
    except (NatsError, TimeoutError) as error:
        raise broker_unavailable(error) from error
    keeper = asyncio.create_task(_renew(broker, subscribe, holder))
    try:
        yield holder[0]
    finally:
        keeper.cancel()
        await unsubscribe(holder[0])


async def _renew(broker: Broker, subscribe: Subscribe, holder: list[Any]) -> None:
    while True:
        await broker.reconnections.next()
        await unsubscribe(holder[0])
        while True:
            try:
                holder[0] = await subscribe()
                break
            except (NatsError, TimeoutError) as error:
                log.debug("subscribing again", cause=type(error).__name__)
                await asyncio.sleep(RESUBSCRIBE_SECONDS)


async def unsubscribe(subscription: Any) -> None:
    try:
        await subscription.unsubscribe()
    except NatsError:
        return  # closed with its connection
