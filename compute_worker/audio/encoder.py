"""The stream's one format: MP3 frames of 192 bytes that can be joined by appending them."""

from collections.abc import Iterator
from functools import cache

import numpy as np

from compute_worker.audio import lame
from compute_worker.audio.pcm import Samples
from compute_worker.speech.model import FRAME_BYTES, FRAME_SAMPLES

DELAY_SAMPLES = 1105  # LAME's encoder delay (576) and every decoder's (529), as measured
_LOOK_AHEAD_FRAMES = 3  # what LAME holds back
_FIRST_SAMPLES = 20 * FRAME_SAMPLES  # half a second


def encode_frames(samples: Samples) -> bytes:
    """Frames whose decoded audio is these samples, 1105 samples late, wherever they are joined."""
    return b"".join(encoded_pieces(samples))


def encoded_pieces(samples: Samples) -> Iterator[bytes]:
    """The same frames: the first ones, which can be heard while the others are made, and the others."""
    frame_count = -(-(len(samples) + DELAY_SAMPLES) // FRAME_SAMPLES)
    padded = np.zeros((frame_count + _LOOK_AHEAD_FRAMES) * FRAME_SAMPLES, dtype=np.float32)
    padded[: len(samples)] = samples
    with lame.Encoder() as encoder:
        first = encoder.encode(padded[:_FIRST_SAMPLES])[: frame_count * FRAME_BYTES]
        yield first
        others = encoder.encode(padded[_FIRST_SAMPLES:])[: frame_count * FRAME_BYTES - len(first)]
    if len(first) + len(others) != frame_count * FRAME_BYTES:
        raise RuntimeError(f"{frame_count} frames came out as {len(first) + len(others)} bytes")
    yield others


def silent_frames(count: int) -> bytes:
    """Frames of true silence; they may stand anywhere between encoded segments."""
    return _silent_frame() * count


@cache
def _silent_frame() -> bytes:
    return encode_frames(np.zeros(FRAME_SAMPLES, dtype=np.float32))[:FRAME_BYTES]
