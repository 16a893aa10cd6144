"""The stream's one format: MP3 frames of 192 bytes that can be joined by appending them."""

from functools import cache

import numpy as np

from compute_worker.audio import lame
from compute_worker.audio.pcm import Samples
from compute_worker.speech.model import FRAME_BYTES, FRAME_SAMPLES

DELAY_SAMPLES = 1105  # LAME's encoder delay (576) and every decoder's (529), as measured
_LOOK_AHEAD_FRAMES = 3  # what LAME holds back


def encode_frames(samples: Samples) -> bytes:
    """Frames whose decoded audio is these samples, 1105 samples late, wherever they are joined."""
    frame_count = -(-(len(samples) + DELAY_SAMPLES) // FRAME_SAMPLES)
    padded = np.zeros((frame_count + _LOOK_AHEAD_FRAMES) * FRAME_SAMPLES, dtype=np.float32)
    padded[: len(samples)] = samples
    frames = lame.encode(padded)[: frame_count * FRAME_BYTES]
    if len(frames) != frame_count * FRAME_BYTES:
        raise RuntimeError(f"{frame_count} frames came out as {len(frames)} bytes")
    return frames


def silent_frames(count: int) -> bytes:
    """Frames of true silence; they may stand anywhere between encoded segments."""
    return _silent_frame() * count


@cache
def _silent_frame() -> bytes:
    return encode_frames(np.zeros(FRAME_SAMPLES, dtype=np.float32))[:FRAME_BYTES]
