"""The PDFs whose pages are looked at now, each in its own process beside a copy of its file."""

import asyncio
import tempfile
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Final, Self

from compute_worker.documents.artifacts import source_key, unlocked_key
from compute_worker.documents.page_images.process import DrawingProcess
from compute_worker.documents.parser_process import ParserLimits
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectNotFoundError, ObjectStore

# A page in view takes 0.1 s; what takes so much longer is no page that somebody waits for.
DRAWING_LIMITS: Final = ParserLimits(wall_seconds=15.0, cpu_seconds=600, memory_bytes=1536 * 1024 * 1024)
_LOOKS_EVERY_SECONDS: Final = 5.0


@dataclass
class _OpenFile:
    folder: "TemporaryDirectory[str]"
    process: DrawingProcess
    last_used: float
    users: int = 0
    ready: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_started: bool = False


class OpenFiles:
    """An async context manager. A file that nobody has looked into for a while is closed, and so is the one
    that was longest out of use when there are too many."""

    def __init__(
        self,
        *,
        store: ObjectStore,
        temporary_folder: Path | None = None,
        limits: ParserLimits = DRAWING_LIMITS,
        most_files: int = 4,
        idle_seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._temporary_folder = temporary_folder
        self._limits = limits
        self._most_files = most_files
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._files: OrderedDict[str, _OpenFile] = OrderedDict()
        self._sweeper: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._sweeper = asyncio.create_task(self._sweep())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.gather(self._sweeper, return_exceptions=True)
        for reading_ref in list(self._files):
            await self._close(reading_ref)

    @property
    def process_ids(self) -> list[int]:
        return [file.process.process_id for file in self._files.values() if file.process.process_id]

    @asynccontextmanager
    async def opened(self, reading_ref: str) -> AsyncIterator[DrawingProcess]:
        """Raises FILE_GONE."""
        file = self._files.get(reading_ref)
        if file is None or file.process.is_over:
            await self._close(reading_ref)
            file = self._files[reading_ref] = self._new_file()
        self._files.move_to_end(reading_ref)
        file.users += 1
        try:
            async with file.ready:
                if not file.is_started:
                    await self._start(reading_ref, file)
            await self._close_surplus()
            yield file.process
        finally:
            file.users -= 1
            file.last_used = self._clock()
            if file.process.is_over and self._files.get(reading_ref) is file:
                await self._close(reading_ref)

    def _new_file(self) -> _OpenFile:
        folder = tempfile.TemporaryDirectory(prefix="lectern-pages-", dir=self._temporary_folder)
        process = DrawingProcess(path=Path(folder.name) / "source", limits=self._limits)
        return _OpenFile(folder, process, self._clock())

    async def _start(self, reading_ref: str, file: _OpenFile) -> None:
        """The process loads its libraries while the file is on its way."""
        try:
            await file.process.start()
            await self._fetch(reading_ref, Path(file.folder.name) / "source")
            file.process.begin()
        except BaseException:
            await file.process.close()
            raise
        file.is_started = True

    async def _fetch(self, reading_ref: str, target: Path) -> None:
        locked = source_key(reading_ref.split("/")[1])
        unlocked = unlocked_key(reading_ref)
        key = locked if await self._store.info(unlocked) is None else unlocked
        try:
            with target.open("wb") as file:
                async for chunk in self._store.stream(key):
                    await asyncio.to_thread(file.write, chunk)
        except ObjectNotFoundError as error:
            raise LecternError(
                Code.NOT_FOUND, "The file of this document is gone.", reason="FILE_GONE"
            ) from error

    async def _close_surplus(self) -> None:
        unused = [reading_ref for reading_ref, file in self._files.items() if not file.users]
        for reading_ref in unused[: max(0, len(self._files) - self._most_files)]:
            await self._close(reading_ref)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_LOOKS_EVERY_SECONDS)
            await self.close_idle()

    async def close_idle(self) -> None:
        before = self._clock() - self._idle_seconds
        for reading_ref, file in list(self._files.items()):
            if not file.users and file.last_used <= before:
                await self._close(reading_ref)

    async def _close(self, reading_ref: str) -> None:
        file = self._files.pop(reading_ref, None)
        if file is None:
            return
        await file.process.close()
        with suppress(OSError):
            await asyncio.to_thread(file.folder.cleanup)
