"""What a manifest calls a model that the model aligner can use; apart, so that nothing heavy is loaded."""

from typing import Final

KIND: Final = "align-whisper-onnx"
VERSION: Final = "whisper-1"
