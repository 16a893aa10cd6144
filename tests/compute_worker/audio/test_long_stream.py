"""Nothing drifts: the last sound of a stream of 2,000 joined segments is where the frames say it is."""

import subprocess

import imageio_ffmpeg
import numpy as np

from compute_worker.audio.encoder import DELAY_SAMPLES, encode_frames, silent_frames
from compute_worker.speech.model import FRAME_BYTES, FRAME_SAMPLES, SAMPLE_RATE

SEGMENTS = 2_000
CLICK_AT = 3_000  # samples into each segment
MOST_ERROR_MS = 30


def segment(length: int) -> bytes:
    samples = np.zeros(length, dtype=np.float32)
    samples[CLICK_AT : CLICK_AT + 240] = 0.5 * np.sin(np.arange(240) * 2 * np.pi * 1000 / SAMPLE_RATE)
    return encode_frames(samples)


def test_the_last_of_two_thousand_segments_sounds_where_arithmetic_says():
    kinds = [
        segment(length) + silent_frames(pause) for length, pause in ((7_001, 8), (9_333, 21), (8_000, 1))
    ]
    stream = b"".join(kinds[n % 3] for n in range(SEGMENTS))
    last_start = (len(stream) - len(kinds[(SEGMENTS - 1) % 3])) // FRAME_BYTES * FRAME_SAMPLES
    expected = last_start + DELAY_SAMPLES + CLICK_AT
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", "pipe:0", "-f", "s16le", "-ac", "1"]
    decoded = subprocess.run([*command, "pipe:1"], input=stream, capture_output=True, check=True).stdout
    samples = np.frombuffer(decoded, dtype="<i2")
    assert len(samples) == len(stream) // FRAME_BYTES * FRAME_SAMPLES
    tail = np.abs(samples[last_start:].astype(np.int32))
    heard = last_start + int(np.argmax(tail > tail.max() // 4))
    assert abs(heard - expected) * 1000 / SAMPLE_RATE < MOST_ERROR_MS
