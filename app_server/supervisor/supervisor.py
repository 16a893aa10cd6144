"""Keeps children running: starts them together, awaits them, restarts them, stops them in reverse."""

import asyncio
import contextlib
import signal
from collections import deque
from collections.abc import Sequence
from time import monotonic
from types import TracebackType
from typing import Self

import structlog

from app_server.supervisor.child import Child, ChildFailedError, OutputLine, RestartPolicy
from app_server.supervisor.process import running

_PROBE_INTERVAL_SECONDS = 0.05
_REMEMBERED_LINES = 8
_log = structlog.get_logger()


class Supervisor:
    """An async context manager. Leaving it stops every child, the one started last first."""

    def __init__(self, *, children: Sequence[Child], policy: RestartPolicy | None = None) -> None:
        self._kept = [KeptChild(child=child, policy=policy or RestartPolicy()) for child in children]
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.create_task(kept.keep(), name=kept.child.name) for kept in self._kept]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in reversed(self._tasks):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, ChildFailedError):
                await task

    async def wait_ready(self, *names: str) -> None:
        """All children, or the named ones. Raises ChildFailedError when one of all can't be kept running."""
        chosen = [kept for kept in self._kept if not names or kept.child.name in names]
        ready = asyncio.create_task(_all_set([kept.ready for kept in chosen]))
        try:
            await asyncio.wait([ready, *self._tasks], return_when=asyncio.FIRST_COMPLETED)
            self._raise_failure()
        finally:
            ready.cancel()

    async def wait_failure(self) -> None:
        """Returns never; raises ChildFailedError when a child can't be kept running."""
        if self._tasks:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
            self._raise_failure()
        await asyncio.Event().wait()

    def _raise_failure(self) -> None:
        for task in self._tasks:
            if task.done():
                task.result()


class KeptChild:
    def __init__(self, *, child: Child, policy: RestartPolicy) -> None:
        self.child = child
        self.ready = asyncio.Event()
        self._policy = policy
        self._last_lines: deque[str] = deque(maxlen=_REMEMBERED_LINES)

    async def keep(self) -> None:
        """Ends only by cancellation, which stops the child, or by ChildFailedError."""
        failures = 0
        while True:
            started = monotonic()
            reason = await self._run_once()
            self.ready.clear()
            failures = 1 if monotonic() - started >= self._policy.healthy_seconds else failures + 1
            delay = self._policy.delay_seconds(failures)
            if delay is None:
                raise ChildFailedError(self._farewell(failures, reason))
            _log.warning("restarting", process=self.child.name, reason=reason, delay_seconds=delay)
            await asyncio.sleep(delay)

    async def _run_once(self) -> str:
        """Returns why the run ended."""
        self._last_lines.clear()
        started = monotonic()
        async with running(self.child, self._receive_line) as process:
            ended = asyncio.create_task(process.wait())
            try:
                if not await self._becomes_ready(ended):
                    return self._not_ready(process)
                self.ready.set()
                _log.debug("ready", process=self.child.name, seconds=round(monotonic() - started, 3))
                return _describe_exit(await ended)
            finally:
                ended.cancel()

    async def _becomes_ready(self, ended: asyncio.Task[int]) -> bool:
        deadline = monotonic() + self.child.ready_seconds
        while not ended.done() and (monotonic() < deadline or await self._waits()):
            if await self.child.probe():
                return True
            await asyncio.wait({ended}, timeout=_PROBE_INTERVAL_SECONDS)
        return False

    async def _waits(self) -> bool:
        return self.child.waits is not None and await self.child.waits()

    def _not_ready(self, process: asyncio.subprocess.Process) -> str:
        if process.returncode is not None:
            return _describe_exit(process.returncode)
        reason = f"was not ready after {self.child.ready_seconds:g} seconds"
        return f"{reason} ({self.child.patience} sets how long to wait)" if self.child.patience else reason

    def _receive_line(self, text: str) -> None:
        line: OutputLine = self.child.parse_line(text)
        self._last_lines.append(line.event)
        getattr(_log, line.level)(line.event, **{**line.fields, "process": self.child.name})

    def _farewell(self, failures: int, reason: str) -> str:
        said = "".join(f"\n    {line}" for line in self._last_lines)
        last_words = f" It said last:{said}" if said else ""
        return (
            f"The {self.child.name} failed {failures} times in a row; the last time it {reason}.{last_words}"
        )


async def _all_set(events: Sequence[asyncio.Event]) -> None:
    for event in events:
        await event.wait()


def _describe_exit(code: int) -> str:
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"
