"""Starts the process that reads a file, watches over it, and says clearly how it ended."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import structlog

from compute_worker.child_environment import bare_environment
from compute_worker.documents.failures import over_limit
from shared.errors import Code, LecternError

_MOST_LINE_BYTES: Final = 64 * 1024
_MOST_STDERR_BYTES: Final = 16 * 1024
_log = structlog.get_logger(__name__)

OnProgress = Callable[[str, int, int], Awaitable[None]]


@dataclass(frozen=True)
class ParserLimits:
    wall_seconds: float = 300.0
    cpu_seconds: int = 240
    memory_bytes: int = 2 * 1024 * 1024 * 1024  # of address space, of which Python maps 100 MB at once
    output_bytes: int = 1024 * 1024 * 1024


class ParserProcess:
    def __init__(self, *, limits: ParserLimits, module: str = "compute_worker.documents.child") -> None:
        self._limits = limits
        self._module = module

    async def parse(
        self,
        *,
        path: Path,
        folder: Path,
        source_format: str,
        file_name: str,
        on_progress: OnProgress,
        options: Mapping[str, str | float] | None = None,
    ) -> None:
        """Fills the folder with artifacts. options: of the format's own parser. Raises LecternError; the
        process is gone in any case."""
        job = {"path": str(path), "folder": str(folder), "format": source_format, "file_name": file_name}
        message = json.dumps(job | {"limits": asdict(self._limits), "options": options or {}}).encode()
        async with self._started() as process:
            try:
                async with asyncio.timeout(self._limits.wall_seconds):
                    await _converse(process, message, on_progress)
            except TimeoutError as error:
                raise _too_slow() from error

    @asynccontextmanager
    async def _started(self) -> AsyncIterator[asyncio.subprocess.Process]:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", self._module),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_MOST_LINE_BYTES,
            env=bare_environment(),
            start_new_session=True,
        )
        try:
            yield process
        finally:
            await _end(process)


async def _converse(process: asyncio.subprocess.Process, message: bytes, on_progress: OnProgress) -> None:
    assert process.stdin is not None  # noqa: S101 - all three are pipes
    assert process.stdout is not None  # noqa: S101
    assert process.stderr is not None  # noqa: S101
    errors = asyncio.create_task(_tail(process.stderr))
    try:
        process.stdin.write(message)
        process.stdin.close()
        answer = await _answer(process.stdout, on_progress)
        if answer is None:
            raise _died(await process.wait(), await errors)
        if "error" in answer:
            raise told_error(answer["error"])
    finally:
        errors.cancel()
        await asyncio.gather(errors, return_exceptions=True)


async def _answer(stdout: asyncio.StreamReader, on_progress: OnProgress) -> dict[str, Any] | None:
    """The last word of the process; None if it ends without one or talks nonsense."""
    while True:
        try:
            line = await stdout.readline()
            content = json.loads(line) if line else None
        except ValueError:
            return None
        if not isinstance(content, dict):
            return None
        if "progress" not in content:
            return content
        phase, done, total = content["progress"]
        await on_progress(phase, done, total)


async def _tail(stderr: asyncio.StreamReader) -> str:
    """Reads to the end, so that the process never waits, and keeps the last of it."""
    kept = b""
    while chunk := await stderr.read(4096):
        kept = (kept + chunk)[-_MOST_STDERR_BYTES:]
    return kept.decode(errors="replace")


async def _end(process: asyncio.subprocess.Process) -> None:
    kill_group(process)
    await process.wait()


def kill_group(process: asyncio.subprocess.Process) -> None:
    """With whatever it has started. It is still to be waited for."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def told_error(error: Mapping[str, str]) -> LecternError:
    """What the process itself says is wrong."""
    return LecternError(Code[error["code"]], error["message"], reason=error["reason"], retryable=False)


def _too_slow() -> LecternError:
    return over_limit("DOCUMENT_TOO_SLOW", "Reading this file takes longer than the server allows.")


def _died(returncode: int, stderr: str) -> LecternError:
    _log.warning("parser_died", returncode=returncode, stderr=stderr[-2000:])
    if -returncode == signal.SIGXCPU:
        return _too_slow()
    if -returncode == signal.SIGXFSZ:
        return over_limit(
            "DOCUMENT_TOO_LARGE", "The document unfolds into more data than the server accepts."
        )
    if "MemoryError" in stderr or "memory allocation" in stderr:
        return over_limit("DOCUMENT_TOO_COMPLEX", "Reading this file needs more memory than allowed.")
    return LecternError(
        Code.INTERNAL,
        "This file could not be read: it made the reader fail. It may be damaged.",
        reason="PARSER_FAILED",
        retryable=-returncode == signal.SIGKILL,  # by the system, short of memory: it may fit next time
    )
