"""The stream's one format: MP3 frames of 192 bytes that can be joined by appending them."""

from functools import cache

import av
import numpy as np
from av.audio.codeccontext import AudioCodecContext

from compute_worker.audio.pcm import Samples
from compute_worker.speech.model import FRAME_BYTES, FRAME_SAMPLES, SAMPLE_RATE

DELAY_SAMPLES = 1105  # LAME's encoder delay (576) and every decoder's (529), as measured
_BIT_RATE = 64_000
_OPTIONS = {
    "reservoir": "0",  # a frame must not borrow bytes from the one before it, or joining breaks
    "compression_level": "5",  # 7 s of CPU for an hour of audio; better levels are not heard at 64 kbit/s
}


def encode_frames(samples: Samples) -> bytes:
    """Frames whose decoded audio is these samples, 1105 samples late, wherever they are joined.

    The samples come from our own normalizer: this is not fed with anything foreign.
    """
    frame_count = -(-(len(samples) + DELAY_SAMPLES) // FRAME_SAMPLES)
    padded = np.zeros((frame_count, 1, FRAME_SAMPLES), dtype=np.float32)
    padded.reshape(-1)[: len(samples)] = samples
    encoder = _open_encoder()
    packets: list[bytes] = []
    for index, block in enumerate(padded):
        frame = av.AudioFrame.from_ndarray(block, format="fltp", layout="mono")
        frame.sample_rate = SAMPLE_RATE
        frame.pts = index * FRAME_SAMPLES
        packets.extend(bytes(packet) for packet in encoder.encode(frame))
    packets.extend(bytes(packet) for packet in encoder.encode(None))
    frames = b"".join(packets[:frame_count])
    if len(frames) != frame_count * FRAME_BYTES:
        raise AssertionError(f"{frame_count} frames came out as {len(frames)} bytes")
    return frames


def silent_frames(count: int) -> bytes:
    """Frames of true silence; they may stand anywhere between encoded segments."""
    return _silent_frame() * count


@cache
def _silent_frame() -> bytes:
    return encode_frames(np.zeros(FRAME_SAMPLES, dtype=np.float32))[:FRAME_BYTES]


def _open_encoder() -> AudioCodecContext:
    encoder = av.CodecContext.create("libmp3lame", "w")
    encoder.sample_rate = SAMPLE_RATE
    encoder.bit_rate = _BIT_RATE
    encoder.layout = "mono"
    encoder.format = "fltp"
    encoder.options = _OPTIONS
    return encoder
