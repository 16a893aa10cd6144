"""Work that goes on beside requests; whoever opens this owns it, and closing it ends all of it."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import structlog

from shared.errors import LecternError

_log = structlog.get_logger(__name__)


class BackgroundTasks:
    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._tasks:
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(self._tasks)
            await asyncio.sleep(0)  # the callbacks take them out

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.error("background work failed", exc_info=task.exception())


async def in_rounds(
    work: Callable[[], Awaitable[None]], *, news: asyncio.Event, every_seconds: float, waiting: str
) -> None:
    """Works at once, again when there is news, and at least so often; until cancelled. A round that fails is
    logged as what is `waiting`, and the next one comes all the same."""
    while True:
        news.clear()
        try:
            await work()
        except LecternError as error:
            _log.warning(waiting, reason=error.reason)
        except Exception:  # noqa: BLE001  # the edge of a loop: it goes on when the cause has gone
            _log.exception(waiting)
        with suppress(TimeoutError):
            async with asyncio.timeout(every_seconds):
                await news.wait()
