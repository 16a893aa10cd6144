"""One PDF in a process of its own, which draws its pages one after another."""

import asyncio
import json
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from compute_worker.child_environment import bare_environment
from compute_worker.documents.page_images.failures import not_drawn, too_complex
from compute_worker.documents.parser_process import ParserLimits, kill_group, told_error
from shared.errors import LecternError
from shared.page_images import PageImage

_MOST_IMAGE_BYTES: Final = 64 * 1024 * 1024


class DrawingProcess:
    """Ended by close(), and by itself when a page is more than it can do: is_over tells."""

    def __init__(
        self,
        *,
        path: Path,
        limits: ParserLimits,
        module: str = "compute_worker.documents.page_images.child",
    ) -> None:
        """limits: time on the clock is for one page, processor time for all of them."""
        self._path = path
        self._limits = limits
        self._module = module
        self._process: asyncio.subprocess.Process | None = None
        self._is_closed = False
        self.turn = asyncio.Lock()
        """To be held while it draws."""
        self.images_drawn = 0

    @property
    def is_over(self) -> bool:
        return self._is_closed or (self._process is not None and self._process.returncode is not None)

    @property
    def process_id(self) -> int | None:
        return None if self._process is None else self._process.pid

    async def start(self) -> None:
        """It loads its libraries meanwhile."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", self._module),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=bare_environment(),
            start_new_session=True,
        )

    def begin(self) -> None:
        """The file is in its place."""
        assert self._process is not None  # noqa: S101 - started before
        assert self._process.stdin is not None  # noqa: S101 - a pipe
        job = {"path": str(self._path), "limits": asdict(self._limits)}
        self._process.stdin.write(json.dumps(job).encode() + b"\n")

    async def draw(self, image: PageImage) -> bytes:
        """An image. Raises what the process says, PAGE_TOO_COMPLEX or PAGE_NOT_DRAWN."""
        try:
            async with asyncio.timeout(self._limits.wall_seconds):
                drawn = await self._exchange(image)
        except TimeoutError as error:
            await self._end()
            raise too_complex() from error
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            raise await self._died() from error
        except LecternError:
            raise
        except BaseException:  # cancelled: its pipe is in an unknown state
            await self._end()
            raise
        self.images_drawn += 1
        return drawn

    async def close(self) -> None:
        await self._end()

    async def _exchange(self, image: PageImage) -> bytes:
        process = self._process
        if process is None or self.is_over:
            raise ConnectionError("the process has ended")
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        process.stdin.write(json.dumps(asdict(image)).encode() + b"\n")
        await process.stdin.drain()
        answer: dict[str, Any] = json.loads(await process.stdout.readuntil(b"\n"))
        if "error" in answer:
            raise told_error(answer["error"])
        if answer["bytes"] > _MOST_IMAGE_BYTES:
            raise ConnectionError("the answer is not one")
        return await process.stdout.readexactly(answer["bytes"])

    async def _died(self) -> LecternError:
        """It fell over the page: out of memory, out of time, or by a fault of the file's."""
        process = self._process
        await self._end()
        by_limit = process is not None and process.returncode == -signal.SIGXCPU
        return too_complex() if by_limit else not_drawn()

    async def _end(self) -> None:
        self._is_closed = True
        process = self._process
        if process is None:
            return
        kill_group(process)
        await process.communicate()
