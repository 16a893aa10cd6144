"""Looks after the queue from time to time, on every worker: it is enough if one of them lives."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import structlog

from compute_worker.operations.backlog import Backlog
from compute_worker.operations.lanes import Lane
from shared.errors import LecternError

EXPIRY_SECONDS: Final = 5.0
STALE_LOOKS: Final = 4  # in the time after which an operation is stale
FIRST_STALE_SECONDS: Final = 60.0  # also a worker that is restarted often looks

log = structlog.get_logger(__name__)


async def keep_swept(backlog: Backlog, lanes: Sequence[Lane], *, stale_seconds: float) -> None:
    """Runs until cancelled."""
    every_seconds = stale_seconds / STALE_LOOKS
    async with asyncio.TaskGroup() as loops:
        loops.create_task(_repeat(lambda: backlog.expire(lanes), EXPIRY_SECONDS, EXPIRY_SECONDS))
        loops.create_task(
            _repeat(
                lambda: backlog.mend_stale(stale_seconds),
                min(every_seconds, FIRST_STALE_SECONDS),
                every_seconds,
            )
        )


async def _repeat(sweep: Callable[[], Awaitable[int]], first_seconds: float, every_seconds: float) -> None:
    pause_seconds = first_seconds
    while True:
        await asyncio.sleep(pause_seconds * random.uniform(0.8, 1.2))  # noqa: S311 - not all workers at once
        pause_seconds = every_seconds
        try:
            await sweep()
        except LecternError as error:
            log.warning("the queue could not be looked after, trying again", reason=error.reason)
        except Exception:  # one record that can't be read must not end the looking after all others
            log.exception("the queue could not be looked after")
