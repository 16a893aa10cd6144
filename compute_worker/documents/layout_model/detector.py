"""Runs a layout model on pictures of pages. Raises LAYOUT_MODEL_INVALID for whatever it can't do."""

from pathlib import Path
from typing import Any, Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from compute_worker.documents.layout_model.decoding import Box, decoded
from compute_worker.documents.layout_model.settings import invalid, read_settings

_THREADS: Final = 2  # a machine parses two documents at a time
_ONLY_ERRORS: Final = 3
_TYPES: Final = {"tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(float16)": np.float16}


class LayoutDetector:
    def __init__(self, folder: Path) -> None:
        self.settings = read_settings(folder)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = _THREADS
        options.log_severity_level = _ONLY_ERRORS
        options.enable_cpu_mem_arena = False  # what it holds back counts against the parser's memory
        try:
            self._session = onnxruntime.InferenceSession(
                str(folder / self.settings.file), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise invalid("onnxruntime can't load it") from error

    @property
    def name(self) -> str:
        return self.settings.name

    def boxes(self, picture: NDArray[np.uint8]) -> list[Box]:
        """picture: red, green and blue of the page, of the model's input size."""
        try:
            outputs = self._session.run(None, self._inputs(picture))
        except Exception as error:
            raise invalid("it failed on a page") from error
        return decoded(outputs, self.settings)

    def _inputs(self, picture: NDArray[np.uint8]) -> dict[str, Any]:
        """PaddleDetection's exports also ask for the size of the picture and by how much it was scaled."""
        settings = self.settings
        mean, std = np.array(settings.mean, np.float32), np.array(settings.std, np.float32)
        image = ((picture.astype(np.float32) / 255 - mean) / std).transpose(2, 0, 1)[None]
        size = np.array([[settings.input_height, settings.input_width]], np.float32)
        known = {"im_shape": size, "scale_factor": np.ones((1, 2), np.float32), "orig_target_sizes": size}
        picture_input = np.ascontiguousarray(image)
        return {
            needed.name: known.get(needed.name, picture_input).astype(_TYPES.get(needed.type, np.float32))
            for needed in self._session.get_inputs()
        }
