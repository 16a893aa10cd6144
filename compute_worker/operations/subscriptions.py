"""Ordered subscriptions that survive the broker's restarts, and their end."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import structlog
from nats.errors import Error as NatsError

from compute_worker.operations.broker import Broker, broker_unavailable
from shared.errors import LecternError

RESUBSCRIBE_SECONDS = 0.2
LOOK_SECONDS = 15.0  # how often a subscription is compared with what is stored

Subscribe = Callable[[], Awaitable[Any]]
IsBehind = Callable[[], Awaitable[bool]]
log = structlog.get_logger(__name__)


@asynccontextmanager
async def lasting_subscription(
    broker: Broker, subscribe: Subscribe, *, is_behind: IsBehind
) -> AsyncIterator[None]:
    """A subscription, made anew by `subscribe` after every reconnection and whenever it turns out to have
    missed something.

    The client notices a forgotten consumer too, but only after its heartbeats have failed for a while,
    and not when nothing ever came.
    """
    try:
        holder = [await subscribe()]
    except (NatsError, TimeoutError) as error:
        raise broker_unavailable(error) from error
    keeper = asyncio.create_task(_renew(broker, subscribe, is_behind, holder))
    try:
        yield
    finally:
        keeper.cancel()
        await asyncio.gather(keeper, return_exceptions=True)
        await unsubscribe(holder[0])


async def _renew(broker: Broker, subscribe: Subscribe, is_behind: IsBehind, holder: list[Any]) -> None:
    while True:
        await _until_needed(broker, is_behind)
        await unsubscribe(holder[0])
        while True:
            try:
                holder[0] = await subscribe()
                break
            except (NatsError, TimeoutError) as error:
                log.debug("subscribing again", cause=type(error).__name__)
                await asyncio.sleep(RESUBSCRIBE_SECONDS)


async def _until_needed(broker: Broker, is_behind: IsBehind) -> None:
    was_behind = False
    while True:
        try:
            async with asyncio.timeout(LOOK_SECONDS * random.uniform(0.8, 1.2)):  # noqa: S311 - not all at once
                return await broker.reconnections.next()
        except TimeoutError:
            pass
        try:
            is_still_behind = await is_behind()
        except LecternError:
            continue
        if was_behind and is_still_behind:  # twice: what was published this moment is on its way
            log.warning("a subscription has missed something, subscribing again")
            return None
        was_behind = is_still_behind


async def unsubscribe(subscription: Any) -> None:
    try:
        await subscription.unsubscribe()
    except NatsError:
        return  # closed with its connection
