"""The model aligner as the rest of the worker sees it: files that are fetched when they are first needed."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import structlog

from compute_worker.alignment.messages import pack, unpack_alignment
from compute_worker.alignment.model import Alignment
from compute_worker.alignment.process import AlignmentProcess
from compute_worker.audio.pcm import Samples
from compute_worker.model_files.folder import InstalledModel, ModelFolder
from compute_worker.speech.model import SAMPLE_RATE
from compute_worker.whisper.batches import MOST_SEGMENTS, Batches, SegmentTask
from compute_worker.whisper.model_kind import KIND, VERSION
from shared.errors import Code, LecternError

_LOG_EVERY_SHARE = 0.1
_log = structlog.get_logger(__name__)


class ModelAligner:
    def __init__(self, *, files: ModelFolder, process: AlignmentProcess) -> None:
        self._files = files
        self._process = process
        self._batches = Batches(align_together=self._align_together)
        self._arriving: asyncio.Task[InstalledModel] | None = None
        self.progress = (0, 0)  # bytes that are there, and of how many, while they are downloaded
        self.failure: LecternError | None = None  # of the last download, or of what it brought

    @property
    def version(self) -> str:
        return VERSION

    @property
    def segments_at_once(self) -> int:
        return MOST_SEGMENTS

    @property
    def is_installed(self) -> bool:
        return self._files.installed() is not None

    @property
    def is_arriving(self) -> bool:
        return self._arriving is not None and not self._arriving.done()

    async def prepare(self) -> None:
        if self.is_installed:
            await self._process.prepare()

    async def prewarm(self) -> None:
        """Downloads the files and sees that the model can be used."""
        installed = await self.install()
        with self._failure_kept():
            _raise_error(await self._process.exchange(pack({"folder": str(installed.folder)})))

    async def install(self) -> InstalledModel:
        """Whoever asks first begins; everybody waits for the same download."""
        if self._arriving is None or self._arriving.done():
            self._arriving = asyncio.create_task(self._install_telling())
        return await asyncio.shield(self._arriving)

    async def align(self, samples: Samples, text: str, language: str) -> Alignment:
        self._installed()
        return await self._batches.align(SegmentTask(samples, text, language))

    def begin_install(self) -> None:
        """In the background; what goes wrong is logged, and the next one who needs it tries again."""
        if self._arriving is None or self._arriving.done():
            self._arriving = asyncio.create_task(self._install_telling())
            self._arriving.add_done_callback(_log_failure)

    async def close(self) -> None:
        await self._batches.close()
        if self._arriving is not None:
            self._arriving.cancel()
            await asyncio.gather(self._arriving, return_exceptions=True)

    def _installed(self) -> InstalledModel:
        installed = self._files.installed()
        if installed is None:
            self.begin_install()
            raise LecternError(
                Code.UNAVAILABLE,
                "The alignment model is being downloaded.",
                reason="MODEL_ARRIVING",
                retryable=True,
            )
        return installed

    async def _align_together(self, tasks: Sequence[SegmentTask]) -> list[Alignment | LecternError]:
        header = {
            "folder": str(self._installed().folder),
            "sample_rate": SAMPLE_RATE,
            "segments": [
                {"text": task.text, "language": task.language, "samples": len(task.samples)} for task in tasks
            ],
        }
        joined = np.concatenate([task.samples for task in tasks]).astype("<f4", copy=False)
        answer = await self._process.exchange(pack(header, joined.tobytes()))
        _raise_error(answer)
        return [_error_in(one) or unpack_alignment(one) for one in answer["segments"]]

    async def _install_telling(self) -> InstalledModel:
        with self._failure_kept():
            return await self._install()

    @contextmanager
    def _failure_kept(self) -> Iterator[None]:
        self.failure = None
        try:
            yield
        except LecternError as error:
            self.failure = error
            raise

    async def _install(self) -> InstalledModel:
        logged = -1

        async def report(done: int, total: int) -> None:
            nonlocal logged
            self.progress = (done, total)
            tenth = int(done / total / _LOG_EVERY_SHARE)
            if tenth > logged:
                logged = tenth
                _log.info("downloading the alignment model", done_bytes=done, total_bytes=total)

        installed = await self._files.install(report)
        if installed.manifest.kind != KIND:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                f"At ALIGN_MODEL_BASE_URL lies a model of kind {installed.manifest.kind!r}, not {KIND!r}.",
                reason="MODEL_UNUSABLE",
            )
        return installed


def _raise_error(answer: dict[str, Any]) -> None:
    if error := _error_in(answer):
        raise error


def _error_in(answer: dict[str, Any]) -> LecternError | None:
    if "error" not in answer:
        return None
    if "code" in answer:
        return LecternError(Code[answer["code"]], answer["error"], reason=answer["reason"], retryable=False)
    return LecternError(
        Code.INTERNAL,
        "Finding the words failed.",
        reason="ALIGN_FAILED",
        details={"cause": str(answer["error"])[:200]},
    )


def _log_failure(task: "asyncio.Task[InstalledModel]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.warning("the alignment model could not be installed", cause=str(error))
