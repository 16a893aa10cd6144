"""The process that holds the model: `python -m compute_worker.whisper.child`. One task after the other.

A model takes hundreds of megabytes; it is loaded with the first task and gone with this process.
"""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import soxr

from compute_worker.alignment.messages import pack, pack_alignment
from compute_worker.alignment.serving import serve
from compute_worker.whisper.aligning import align_with
from compute_worker.whisper.mel import RATE
from compute_worker.whisper.model import WhisperModel
from shared.errors import LecternError


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
        if not payload:
            return pack({"loaded": True})
        samples = soxr.resample(
            np.frombuffer(payload, dtype="<f4"), header["sample_rate"], RATE, quality="HQ"
        )
        return pack_alignment(align_with(model, samples, header["text"], header["language"]))
    except LecternError as error:
        return pack({"error": error.message, "reason": error.reason, "code": error.code.name})
    except (
        ArithmeticError,
        IndexError,
        RuntimeError,
        ValueError,
    ) as error:  # onnxruntime's are RuntimeErrors
        return pack({"error": f"{type(error).__name__}: {error}"[:300]})


if __name__ == "__main__":
    serve(partial(_answer, _Holder()))
