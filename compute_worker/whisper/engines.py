"""Which aligner COMPUTE_ALIGN_ENGINE stands for."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import structlog
from aiohttp import ClientSession

from compute_worker.alignment.aligner import AcousticAligner
from compute_worker.alignment.chosen import ChosenAligner
from compute_worker.alignment.ports import Aligner
from compute_worker.alignment.process import AlignmentProcess
from compute_worker.model_files.folder import ModelFolder
from compute_worker.speech.espeak_pool import EspeakPool
from compute_worker.whisper.aligner import ModelAligner
from shared.errors import LecternError

_MODULE: Final = "compute_worker.whisper.child"
_log = structlog.get_logger(__name__)


@asynccontextmanager
async def open_model_aligner(
    *, base_url: str | None, folder: Path, session: ClientSession, timeout_seconds: float
) -> AsyncIterator[ModelAligner | None]:
    """None where no model is to be had."""
    if base_url is None:
        yield None
        return
    files = ModelFolder(folder=folder, base_url=base_url, session=session)
    async with AlignmentProcess(timeout_seconds=timeout_seconds, module=_MODULE) as process:
        aligner = ModelAligner(files=files, process=process)
        try:
            yield aligner
        finally:
            await aligner.close()


def aligner_of(
    engine: str, *, pool: EspeakPool, process: AlignmentProcess, model: ModelAligner | None
) -> Aligner | None:
    """None lights sentences only."""
    if engine == "none" or (engine == "model" and model is None):
        return None
    if engine == "model":
        return model
    acoustic = AcousticAligner(pool=pool, process=process)
    return (
        acoustic if engine == "acoustic" or model is None else ChosenAligner(acoustic=acoustic, model=model)
    )


async def prewarm(model: ModelAligner) -> None:
    """A worker does its other work meanwhile, and also when this fails."""
    try:
        await model.prewarm()
    except LecternError as error:
        _log.warning("the alignment model could not be prepared", reason=error.reason, message=error.message)
    else:
        _log.info("the alignment model is ready")
