"""One run of a child: started tied to us in its own group, its output read by lines, stopped for good."""

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from app_server.supervisor.child import Child
from shared.processes.tied import tied_command

_LONGEST_LINE_BYTES = 256 * 1024
_DRAIN_SECONDS = 1.0


@asynccontextmanager
async def running(
    child: Child, receive_line: Callable[[str], None]
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Nothing of the child's process group is left afterwards, and all of its output has been received."""
    # A pipe of ours, not asyncio's: a grandchild that keeps it open must not delay the news of an exit.
    read_end, write_end = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            *tied_command(child.command),
            env=dict(child.environment),
            stdin=DEVNULL,
            stdout=write_end,
            stderr=write_end,
            process_group=0,  # Ctrl-C in the terminal is ours to handle
        )
    except BaseException:
        os.close(read_end)
        raise
    finally:
        os.close(write_end)
    reader = asyncio.create_task(_read_lines(read_end, receive_line))
    try:
        yield process
    finally:
        await _stop(process, child.stop_seconds)
        await asyncio.wait({reader}, timeout=_DRAIN_SECONDS)
        reader.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reader


async def _stop(process: Process, deadline_seconds: float) -> None:
    """Asks, then insists; the group's leftovers are killed either way."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), deadline_seconds)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


async def _read_lines(descriptor: int, receive_line: Callable[[str], None]) -> None:
    stream = asyncio.StreamReader(limit=_LONGEST_LINE_BYTES)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(descriptor, "rb", buffering=0)
    )
    try:
        while True:
            try:
                line = await stream.readline()
            except ValueError:  # longer than the limit; the stream has dropped it
                continue
            if not line:
                return
            if text := line.decode(errors="replace").rstrip():
                receive_line(text)
    finally:
        transport.close()
