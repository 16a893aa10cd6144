"""The worker's alignment process: started at the first task, ended after a while without one."""

import asyncio
import contextlib
import json
import sys
from types import TracebackType
from typing import Any, Self

import structlog

from compute_worker.alignment.messages import (
    PREFIX_BYTES,
    header_bytes,
    pack_task,
    unpack_alignment,
)
from compute_worker.alignment.model import Alignment, ReferenceSpeech
from compute_worker.audio.pcm import Samples
from compute_worker.child_environment import bare_environment
from shared.errors import Code, LecternError

_MOST_HEADER_BYTES = 4 * 2**20

log = structlog.get_logger(__name__)


class AlignmentProcess:
    """An async context manager. One task at a time, the others wait; time is counted from a task's turn."""

    def __init__(
        self,
        *,
        timeout_seconds: float,
        idle_seconds: float = 60.0,
        module: str = "compute_worker.alignment.child",
    ) -> None:
        self._module = module
        self._timeout_seconds = timeout_seconds
        self._idle_seconds = idle_seconds
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._rest: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._rest is not None:
            self._rest.cancel()
            await asyncio.gather(self._rest, return_exceptions=True)
        await self._end()

    @property
    def process_id(self) -> int | None:
        return None if self._process is None else self._process.pid

    async def prepare(self) -> None:
        """Starts the process, if it does not run, while its first task is still being made."""
        if self._process is None and not self._turn.locked():
            async with self._turn:
                with contextlib.suppress(OSError):  # the task that follows will say so
                    await self._running()
                self._end_when_idle()

    async def align(self, samples: Samples, sample_rate: int, reference: ReferenceSpeech) -> Alignment:
        header = await self.exchange(pack_task(samples, sample_rate, reference))
        if "error" in header:
            raise LecternError(
                Code.INTERNAL,
                "Finding the words failed.",
                reason="ALIGN_FAILED",
                details={"cause": str(header["error"])[:200]},
            )
        return unpack_alignment(header)

    async def exchange(self, task: bytes) -> dict[str, Any]:
        """A packed task for the header of its answer. Raises ALIGN_TIMEOUT or ALIGN_CRASHED."""
        async with self._turn:
            try:
                async with asyncio.timeout(self._timeout_seconds):
                    header = await self._exchange(task)
            except TimeoutError as error:
                await self._end()
                raise LecternError(
                    Code.DEADLINE_EXCEEDED, "Finding the words took too long.", reason="ALIGN_TIMEOUT"
                ) from error
            except (asyncio.IncompleteReadError, OSError, ValueError) as error:
                await self._end()
                raise LecternError(
                    Code.INTERNAL, "Finding the words failed.", reason="ALIGN_CRASHED", retryable=False
                ) from error
            except BaseException:  # cancelled: its pipe is in an unknown state
                await self._end()
                raise
            self._end_when_idle()
        return header

    async def _exchange(self, task: bytes) -> dict[str, Any]:
        process = await self._running()
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        process.stdin.write(task)
        await process.stdin.drain()
        length = header_bytes(await process.stdout.readexactly(PREFIX_BYTES))
        if length > _MOST_HEADER_BYTES:
            raise ConnectionError("the answer is not one")
        answer: dict[str, Any] = json.loads(await process.stdout.readexactly(length))
        return answer

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", self._module),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=bare_environment(),
        )
        return self._process

    def _end_when_idle(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
        self._rest = asyncio.create_task(self._end_later())

    async def _end_later(self) -> None:
        await asyncio.sleep(self._idle_seconds)
        async with self._turn:
            await self._end()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.kill()
        await process.communicate()
