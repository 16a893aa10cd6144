"""A worker's start: what it works with may come later than it does."""

import asyncio
from typing import Final

from compute_worker.obstacle import Obstacle
from compute_worker.operations.broker import Broker
from shared.configuration.settings import StorageSettings
from shared.errors import Code, LecternError
from shared.objects.s3_store import S3Store

_RETRY_SECONDS: Final = 1.0


async def there_before(stop: asyncio.Event, broker: Broker, store: S3Store, storage: StorageSettings) -> bool:
    """Waits for the broker with our streams and for the store with our bucket; False when `stop` came first.

    Raises FAILED_PRECONDITION, in an operator's words, for what waiting won't mend.
    """
    waiting = asyncio.create_task(_both_there(broker, store, storage))
    stopped = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({waiting, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if waiting.done():
            waiting.result()
        return waiting.done()
    finally:
        for task in (waiting, stopped):
            task.cancel()
        await asyncio.gather(waiting, stopped, return_exceptions=True)


async def _both_there(broker: Broker, store: S3Store, storage: StorageSettings) -> None:
    try:
        async with asyncio.TaskGroup() as both:
            both.create_task(broker.connect())
            both.create_task(bucket_there(store, create=storage.auto_create_bucket))
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None


async def bucket_there(store: S3Store, *, create: bool) -> None:
    """Waits for the store, and makes the bucket where that is wanted. Raises FAILED_PRECONDITION."""
    obstacle = Obstacle("The object store has not answered yet.")
    while True:
        try:
            await store.ensure_bucket(create=create)
        except LecternError as error:
            if error.code is not Code.UNAVAILABLE:
                raise
            obstacle.note(error.message, cause=error.details["cause"])
            await asyncio.sleep(_RETRY_SECONDS)
        else:
            return obstacle.is_gone("The object store is there now.")
