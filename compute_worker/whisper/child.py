"""The process that holds the model: `python -m compute_worker.whisper.child`. One batch after the other.

A model takes hundreds of megabytes; it is loaded with the first batch and gone with this process.
"""

from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import soxr

from compute_worker.alignment.messages import alignment_header, pack
from compute_worker.alignment.serving import serve
from compute_worker.whisper.aligning import Segment, align_with
from compute_worker.whisper.mel import RATE
from compute_worker.whisper.model import WhisperModel
from shared.errors import LecternError

# onnxruntime's own are RuntimeErrors.
FAILURES: Final = (LecternError, ArithmeticError, IndexError, RuntimeError, ValueError)


class _Holder:
    def __init__(self) -> None:
        self._folder = ""
        self._model: WhisperModel | None = None

    def model(self, folder: str) -> WhisperModel:
        if self._model is None or self._folder != folder:
            self._model = WhisperModel(Path(folder))
            self._folder = folder
        return self._model


def _answer(holder: _Holder, header: dict[str, Any], payload: bytes) -> bytes:
    try:
        model = holder.model(header["folder"])
        if "segments" not in header:
            return pack({"loaded": True})
        return pack({"segments": _align_all(model, _segments(header, payload))})
    except FAILURES as error:
        return pack(_told(error))


def _segments(header: dict[str, Any], payload: bytes) -> list[Segment]:
    joined, segments, first = np.frombuffer(payload, dtype="<f4"), [], 0
    for one in header["segments"]:
        own = joined[first : first + one["samples"]]
        first += one["samples"]
        samples = soxr.resample(own, header["sample_rate"], RATE, quality="HQ")
        segments.append(Segment(samples, one["text"], one["language"]))
    return segments


def _align_all(model: WhisperModel, segments: list[Segment]) -> list[dict[str, Any]]:
    """Together; each by itself when that fails, so that what is wrong with one is not the others' fault."""
    try:
        return [alignment_header(alignment) for alignment in align_with(model, segments)]
    except FAILURES as error:
        if len(segments) == 1:
            return [_told(error)]
    return [answer for segment in segments for answer in _align_all(model, [segment])]


def _told(error: Exception) -> dict[str, Any]:
    if isinstance(error, LecternError):
        return {"error": error.message, "reason": error.reason, "code": error.code.name}
    return {"error": f"{type(error).__name__}: {error}"[:300]}


if __name__ == "__main__":
    serve(partial(_answer, _Holder()))
