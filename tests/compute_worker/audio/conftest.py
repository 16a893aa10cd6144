"""Recordings with known content, made on the spot."""

import subprocess
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from compute_worker.audio.media_tool import MediaTool, bundled_media_bin
from compute_worker.audio.pcm import Samples


@pytest.fixture
def media_tool() -> MediaTool:
    return MediaTool(media_bin=bundled_media_bin())


@pytest.fixture(scope="session")
def speech_like() -> Samples:
    """Three seconds at 24 kHz: syllables of a buzzing voice, half a second of silence around them."""
    rng = np.random.default_rng(7)
    time = np.arange(2 * 24_000) / 24_000
    voice = sum(np.sin(2 * np.pi * 130 * n * time) / n for n in range(1, 20))
    syllables = np.repeat(np.tile([1.0, 0.7, 0.9, 0.25], 5), 2400)
    sound = 0.08 * voice * syllables + 0.002 * rng.standard_normal(len(time))
    return np.pad(sound, 12_000).astype(np.float32)


@pytest.fixture(scope="session")
def convert() -> Callable[[Samples, Sequence[str]], bytes]:
    def run(samples: Samples, arguments: Sequence[str]) -> bytes:
        source = ("-f", "f32le", "-ar", "24000", "-ac", "1")
        return _run_media_tool((*source, "-i", "pipe:0", *arguments), samples.tobytes())

    return run


@pytest.fixture(scope="session")
def decode_stream() -> Callable[[bytes], Samples]:
    """What a listener's decoder makes of a joined stream."""

    def run(frames: bytes) -> Samples:
        return np.frombuffer(_run_media_tool(("-f", "mp3", "-i", "pipe:0", "-f", "f32le"), frames), "<f4")

    return run


def _run_media_tool(arguments: Sequence[str], body: bytes) -> bytes:
    command = [bundled_media_bin(), "-v", "error", *arguments, "pipe:1"]
    return subprocess.run(command, input=body, capture_output=True, check=True).stdout
