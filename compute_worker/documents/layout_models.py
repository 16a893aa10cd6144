"""The PDF layout model of this machine: fetched when a PDF first needs it; while it isn't there, why."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import structlog
from aiohttp import ClientSession

from compute_worker.model_files.folder import ModelFolder
from compute_worker.operations.ports import ProgressReporter
from shared.errors import LecternError

MODEL_KIND: Final = "pdf-layout"
_PATIENCE_SECONDS: Final = 120.0  # of a document; the download itself goes on
_RETRY_SECONDS: Final = 600.0
_SHARE_OF_TIME: Final = 0.4  # of the parser's; geometry takes the pages that are left
_ARRIVING: Final = "The layout model is still being downloaded."
_log = structlog.get_logger(__name__)


@asynccontextmanager
async def open_layout_models(
    *, base_url: str | None, folder: Path, session: ClientSession, parser_seconds: float, prewarm: bool
) -> AsyncIterator["LayoutModels | None"]:
    """None where no model is set up. prewarm: its download begins at once."""
    if base_url is None:
        yield None
        return
    model = ModelFolder(folder=folder, base_url=base_url, session=session)
    models = LayoutModels(model=model, parser_seconds=parser_seconds)
    if prewarm:
        await models.prewarm()
    try:
        yield models
    finally:
        await models.aclose()


class LayoutModels:
    """Downloads at most once at a time, and not again for ten minutes after it failed."""

    def __init__(
        self,
        *,
        model: ModelFolder,
        parser_seconds: float,
        patience_seconds: float = _PATIENCE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._seconds = parser_seconds * _SHARE_OF_TIME
        self._patience_seconds = patience_seconds
        self._clock = clock
        self._download: asyncio.Task[None] | None = None
        self._progress = (0, 0)
        self._failure = ""
        self._failed_at = float("-inf")

    async def options(self, progress: ProgressReporter | None = None) -> Mapping[str, str | float]:
        """For the parser of a PDF."""
        problem = await self._missing(progress)
        installed = None if problem else self._model.installed()
        if installed is None:
            return {"layout_unavailable": problem}
        if installed.manifest.kind != MODEL_KIND:
            return {
                "layout_unavailable": f"What is downloaded is a model of the kind {installed.manifest.kind}."
            }
        return {"layout_folder": str(installed.folder), "layout_seconds": self._seconds}

    async def prewarm(self) -> None:
        """Begins the download, without waiting for it."""
        if self._download is None and not self._is_installed():
            self._download = asyncio.create_task(self._fetch())

    async def aclose(self) -> None:
        if self._download is not None:
            self._download.cancel()
            await asyncio.gather(self._download, return_exceptions=True)

    def _is_installed(self) -> bool:
        try:
            return self._model.installed() is not None
        except LecternError:
            return True  # something is there; what is wrong with it is said with each document

    async def _missing(self, progress: ProgressReporter | None) -> str:
        """Empty once the model is there."""
        try:
            if self._model.installed() is not None:
                return ""
        except LecternError as error:
            return error.message
        if self._download is None:
            if self._clock() - self._failed_at < _RETRY_SECONDS:
                return self._failure
            self._download = asyncio.create_task(self._fetch())
        return await self._wait(self._download, progress)

    async def _wait(self, download: asyncio.Task[None], progress: ProgressReporter | None) -> str:
        ends = self._clock() + self._patience_seconds
        while not download.done():
            if self._clock() >= ends:
                return _ARRIVING
            if progress is not None:
                done, total = (part // 1024 for part in self._progress)
                await progress.report(phase="layout model", done=done, total=total)
            await asyncio.wait([download], timeout=1.0)
        return self._failure

    async def _fetch(self) -> None:
        async def keep(done: int, total: int) -> None:
            self._progress = (done, total)

        try:
            await self._model.install(keep)
            self._failure = ""
        except LecternError as error:
            _log.warning("the layout model can't be had", reason=error.reason, message=error.message)
            self._failure, self._failed_at = error.message, self._clock()
        finally:
            self._download = None
