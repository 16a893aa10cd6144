"""LAME through ctypes: a whole recording in one call, with the bit reservoir off.

The library is the one in the lameenc package, whose own interface cannot switch the reservoir off. Against
the LAME in PyAV it takes a quarter of the time, and one call instead of one for each frame.
"""

import ctypes
import importlib.util
from functools import cache

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


def encode(samples: Samples) -> bytes:
    """The frames that these samples complete; the last ones need two frames of silence behind them."""
    library = _load()
    encoder = ctypes.c_void_p(library.lame_init())
    if not encoder:
        raise MemoryError("LAME did not start")
    try:
        for name, value in _SETTINGS.items():
            setter = getattr(library, f"lame_set_{name}")
            if setter(encoder, value) < 0:
                raise RuntimeError(f"LAME refuses {name} {value}")
        if library.lame_init_params(encoder) < 0:
            raise RuntimeError("LAME refuses its settings")
        return _encode_all(library, encoder, np.ascontiguousarray(samples, dtype=np.float32))
    finally:
        library.lame_close(encoder)


def _encode_all(library: ctypes.CDLL, encoder: ctypes.c_void_p, samples: Samples) -> bytes:
    output = ctypes.create_string_buffer(len(samples) * 5 // 4 + 7200)  # the size lame.h asks for
    source = samples.ctypes.data_as(ctypes.c_void_p)
    length = library.lame_encode_buffer_ieee_float(
        encoder, source, source, ctypes.c_int(len(samples)), output, ctypes.c_int(len(output))
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
