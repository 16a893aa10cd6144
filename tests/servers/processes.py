"""Real programs for tests: started, awaited by a probe, stopped; never left behind."""

import contextlib
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from shared.processes.tied import tied_command

_STOP_SECONDS = 15.0


def wait_until(condition: Callable[[], object], *, seconds: float, what: str) -> None:
    """Polls; AssertionError with what was awaited when the time is over."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"after {seconds:g} s still not: {what}"
        time.sleep(0.02)


def http_status(url: str) -> int | None:
    """None when nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    except OSError:
        return None


@contextmanager
def started(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    directory: Path,
    output: Path,
    is_ready: Callable[[], bool],
    ready_seconds: float = 30.0,
    stop_signal: signal.Signals = signal.SIGTERM,
) -> Iterator[subprocess.Popen[bytes]]:
    """The program dies with the test process, even when that is killed."""
    with output.open("wb") as log:
        process = subprocess.Popen(
            tied_command(command),
            env=dict(environment),
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
    try:
        _await_ready(process, is_ready, ready_seconds, output)
        yield process
    finally:
        stop(process, stop_signal)


def stop(process: subprocess.Popen[bytes], stop_signal: signal.Signals = signal.SIGTERM) -> None:
    if process.poll() is None:
        process.send_signal(stop_signal)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_STOP_SECONDS)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def processes_in(directory: Path) -> dict[int, str]:
    """Command lines, by pid, of all processes whose working directory is this one or below it."""
    found = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdecimal() and (entry / "cwd").readlink().is_relative_to(directory):
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if command:  # a zombie has none
                    found[int(entry.name)] = command.strip()
    return found


def _await_ready(
    process: subprocess.Popen[bytes], is_ready: Callable[[], bool], seconds: float, output: Path
) -> None:
    deadline = time.monotonic() + seconds
    while not is_ready():
        said = output.read_text(errors="replace")[-4000:]
        assert process.poll() is None, f"ended with code {process.returncode} before it was ready:\n{said}"
        assert time.monotonic() < deadline, f"not ready after {seconds:g} s:\n{said}"
        time.sleep(0.02)
