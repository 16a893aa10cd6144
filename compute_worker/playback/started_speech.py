"""Speech that a provider was asked for and whose run is over: paid for, and so made and stored."""

import asyncio
from types import TracebackType
from typing import Any, Self

import structlog

from shared.errors import LecternError

# For what is still being made when the worker stops; with the rest of its end, less than a supervisor waits.
DRAIN_SECONDS = 6.0

log = structlog.get_logger(__name__)


class StartedSpeech:
    """As long as the worker lives a request takes the time it takes, and keeps its claim."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=DRAIN_SECONDS)
        for task in late:
            log.warning("speech that a provider was asked for is given up: it answers too late")
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def finish(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, LecternError):
            log.info("speech of a run that is over was not made", reason=error.reason)
        elif error is not None:
            log.error("speech of a run that is over was not made", exc_info=error)
