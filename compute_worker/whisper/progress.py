"""How far the download of the alignment model is, for those who run a worker. Nothing of it is secret."""

from contextlib import suppress
from typing import Final

from compute_worker.whisper.aligner import ModelAligner
from shared.errors import LecternError

_MB: Final = 1e6


def shown_progress(model: ModelAligner | None) -> dict[str, object]:
    """For the worker's health."""
    if model is None:
        return {"status": "none"}
    if model.is_arriving:
        done, total = model.progress
        return {"status": "downloading", "doneBytes": done, "totalBytes": total}
    if failure := _failure(model):
        return {"status": "failed", "reason": failure.reason}
    return {"status": "installed" if _is_installed(model) else "missing"}


async def look_at_alignment_model(model: ModelAligner | None) -> str:
    """For the system check. Raises what the last download failed with."""
    if model is None:
        return "None is set up (ALIGN_MODEL_BASE_URL is unset): words are found without one."
    if model.is_arriving:
        done, total = model.progress
        share = f"{done / total:.0%} of {total / _MB:.1f} MB" if total else "Nothing yet"
        return f"{share} downloaded. Words are found without it until all of it is there."
    if failure := _failure(model):
        raise failure
    if _is_installed(model):
        return "Installed on this worker."
    return (
        "Not downloaded yet: that happens when it is first needed, or at the worker's start with "
        "COMPUTE_PREWARM_MODELS=true."
    )


def _failure(model: ModelAligner) -> LecternError | None:
    """None too where another process of the machine has succeeded since."""
    failure = model.failure
    return None if failure and failure.reason != "MODEL_UNUSABLE" and _is_installed(model) else failure


def _is_installed(model: ModelAligner) -> bool:
    with suppress(LecternError):
        return model.is_installed
    return False
