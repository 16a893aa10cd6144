"""Warm eSpeak NG helper processes: one request at a time each, replaced when they die or are cancelled."""

import asyncio
import contextlib
import json
import logging
import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import espeakng_loader

from shared.errors import Code, LecternError

_HELPER = Path(__file__).with_name("espeak_helper.py")
_MAX_HEADER_BYTES = 16 * 2**20
_MAX_PCM_BYTES = 200 * 2**20  # more than an hour; no segment comes near it
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HelperAnswer:
    header: dict[str, Any]
    pcm: bytes = field(repr=False)


class EspeakPool:
    """An async context manager: entering starts one helper, the others follow when they are needed."""

    def __init__(self, *, size: int = 2, timeout_seconds: float = 20.0) -> None:
        self._slots = asyncio.Semaphore(size)
        self._timeout_seconds = timeout_seconds
        self._idle: list[asyncio.subprocess.Process] = []
        self._closed = False

    async def __aenter__(self) -> Self:
        await self.ask({"ask": "voices"})
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._closed = True
        while self._idle:
            await _stop(self._idle.pop())

    @property
    def idle_process_ids(self) -> list[int]:
        return [process.pid for process in self._idle]

    async def ask(self, header: dict[str, Any]) -> HelperAnswer:
        """Asks once more when a helper died under the request, then gives up."""
        async with self._slots:
            for is_last in (False, True):
                try:
                    return await self._ask_one(header)
                except (asyncio.IncompleteReadError, ConnectionError) as error:
                    _log.warning("espeak helper died")
                    if is_last:
                        raise LecternError(
                            Code.UNAVAILABLE,
                            "The built-in voice crashed on this text.",
                            reason="VOICE_CRASHED",
                        ) from error
        raise AssertionError("unreachable")

    async def _ask_one(self, header: dict[str, Any]) -> HelperAnswer:
        process = await self._take()
        try:
            async with asyncio.timeout(self._timeout_seconds):
                answer = await _exchange(process, header)
        except TimeoutError as error:
            await _stop(process)
            raise LecternError(
                Code.DEADLINE_EXCEEDED, "The built-in voice took too long.", reason="VOICE_TIMEOUT"
            ) from error
        except BaseException:  # cancelled or broken: its pipe is in an unknown state
            await _stop(process)
            raise
        if self._closed:
            await _stop(process)
        else:
            self._idle.append(process)
        return answer

    async def _take(self) -> asyncio.subprocess.Process:
        if self._closed:
            raise LecternError(Code.UNAVAILABLE, "The built-in voice is shutting down.")
        while self._idle:
            process = self._idle.pop()
            if process.returncode is None:
                return process
            await _stop(process)
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-S", str(_HELPER)),
            *(espeakng_loader.get_library_path(), espeakng_loader.get_data_path()),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )


async def _exchange(process: asyncio.subprocess.Process, header: dict[str, Any]) -> HelperAnswer:
    assert process.stdin is not None  # noqa: S101 - both are pipes
    assert process.stdout is not None  # noqa: S101
    body = json.dumps(header).encode()
    process.stdin.write(struct.pack(">I", len(body)) + body)
    await process.stdin.drain()
    length = struct.unpack(">I", await process.stdout.readexactly(4))[0]
    if length > _MAX_HEADER_BYTES:
        raise ConnectionError("the helper's answer is not one")
    answer = json.loads(await process.stdout.readexactly(length))
    if answer["pcm_bytes"] > _MAX_PCM_BYTES:
        raise ConnectionError("the helper's answer is too long")
    return HelperAnswer(answer, await process.stdout.readexactly(answer["pcm_bytes"]))


async def _stop(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.communicate()  # drains and waits
