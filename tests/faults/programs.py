"""A program of the mesh that can be killed, stopped, paused and started again, by its own process id."""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from shared.processes.tied import tied_command

READY_SECONDS = 120.0  # a dozen programs start at once, on machines that others use too
END_SECONDS = 15.0


@dataclass
class Program:
    """ready_url: answers 200 when it can be worked with; without one, any answer at alive_url will do."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    directory: Path
    alive_url: str
    ready_url: str = ""
    starts: int = 0
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)
    _process: "subprocess.Popen[bytes] | None" = None

    @property
    def log(self) -> Path:
        return self.directory / f"{self.name}.log"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        self.starts += 1
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                tied_command(self.command),
                env=dict(self.environment),
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,
            )

    async def until_ready(self, http: aiohttp.ClientSession) -> None:
        try:
            async with asyncio.timeout(READY_SECONDS):
                while not await self.is_ready(http):
                    if self._process is None or self._process.poll() is not None:
                        self.start()  # it gave up; whatever keeps programs running starts it again
                    await asyncio.sleep(0.1)
        except TimeoutError:
            raise AssertionError(f"{self.name} does not get ready: {self.said()}") from None

    async def is_ready(self, http: aiohttp.ClientSession) -> bool:
        url = self.ready_url or self.alive_url
        with contextlib.suppress(aiohttp.ClientError, OSError, TimeoutError):
            async with http.get(url, timeout=aiohttp.ClientTimeout(total=2)) as answer:
                return not self.ready_url or answer.status == 200
        return False

    def said(self) -> str:
        return self.log.read_text(errors="replace")[-2000:]

    def pause(self) -> None:
        os.killpg(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGCONT)

    async def kill(self) -> None:
        """With the helpers in its process group; those in groups of their own are tied to it and die too."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        await self._until_ended()

    async def stop(self) -> None:
        if self._process is None:
            return
        self.resume()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await self._until_ended()
        await self.kill()

    async def _until_ended(self) -> None:
        assert self._process is not None
        while self._process.poll() is None:
            await asyncio.sleep(0.02)

    def open_files(self) -> list[str]:
        """What each is, as the kernel names it."""
        names = []
        with contextlib.suppress(OSError):  # it has just been killed
            for descriptor in Path(f"/proc/{self.pid}/fd").iterdir():
                with contextlib.suppress(OSError):  # closed meanwhile
                    names.append(str(descriptor.readlink()))
        return names


def owner_of(port: int, programs: Sequence[Program]) -> str:
    """Whose end of a connection the port is; nobody's when its owner has been killed meanwhile."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[1].rpartition(":")[2], 16) == port:
            socket = f"socket:[{fields[9]}]"
            return next((program.name for program in programs if socket in program.open_files()), "")
    return ""
