"""LAME through ctypes, with the bit reservoir off.

The library is the one in the lameenc package, whose own interface cannot switch the reservoir off. Against
the LAME in PyAV it takes a quarter of the time, and one call instead of one for each frame.
"""

import ctypes
import importlib.util
from functools import cache
from types import TracebackType
from typing import Self

import numpy as np

from compute_worker.audio.pcm import Samples
from compute_worker.speech.model import SAMPLE_RATE

_MONO = 3
_SETTINGS = {
    "in_samplerate": SAMPLE_RATE,
    "out_samplerate": SAMPLE_RATE,
    "num_channels": 1,
    "mode": _MONO,
    "VBR": 0,
    "brate": 64,
    "quality": 7,  # half the time of 5; on the speech that was measured, with no more error
    "disable_reservoir": 1,  # a frame must not borrow bytes from the one before it, or joining breaks
    "bWriteVbrTag": 0,  # no Xing frame
    "write_id3tag_automatic": 0,
}


class Encoder:
    """One recording, in as many pieces as it comes in: their frames are those of the whole."""

    def __init__(self) -> None:
        self._library = _load()
        self._encoder = ctypes.c_void_p(self._library.lame_init())
        if not self._encoder:
            raise MemoryError("LAME did not start")
        for name, value in _SETTINGS.items():
            setter = getattr(self._library, f"lame_set_{name}")
            if setter(self._encoder, value) < 0:
                raise RuntimeError(f"LAME refuses {name} {value}")
        if self._library.lame_init_params(self._encoder) < 0:
            raise RuntimeError("LAME refuses its settings")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._library.lame_close(self._encoder)

    def encode(self, samples: Samples) -> bytes:
        """The frames that these samples complete; the last ones need two frames of silence behind them."""
        samples = np.ascontiguousarray(samples, dtype=np.float32)
        output = ctypes.create_string_buffer(len(samples) * 5 // 4 + 7200)  # the size lame.h asks for
        source = samples.ctypes.data_as(ctypes.c_void_p)
        length = self._library.lame_encode_buffer_ieee_float(
            self._encoder, source, source, ctypes.c_int(len(samples)), output, ctypes.c_int(len(output))
        )
        if length < 0:
            raise RuntimeError(f"LAME failed with {length}")
        return ctypes.string_at(output, length)


@cache
def _load() -> ctypes.CDLL:
    found = importlib.util.find_spec("lameenc")
    if found is None or found.origin is None:
        raise ImportError("the lameenc package is not installed")
    library = ctypes.CDLL(found.origin)
    library.lame_init.restype = ctypes.c_void_p
    return library
