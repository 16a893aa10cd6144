"""When which word sounds, found in the sound itself: decoded audio, and where it is loud."""

import subprocess
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass

import imageio_ffmpeg
import numpy as np
from e2e.browser import Heard

SAMPLE_RATE = 24_000
STEP_MS = 5
QUIET_SHARE = 0.02  # of the loudest moment
GAP_MS = 60  # a silence this long separates words


@dataclass(frozen=True)
class Sounding:
    start_ms: float
    end_ms: float


def decoded(mp3: bytes) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", "pipe:0", "-f", "f32le", "-ac", "1"]
    raw = subprocess.run([*command, "pipe:1"], input=mp3, capture_output=True, check=True).stdout
    return np.frombuffer(raw, dtype="<f4")


def soundings(samples: "np.ndarray[tuple[int], np.dtype[np.float32]]") -> list[Sounding]:
    """The stretches of sound between silences."""
    step = SAMPLE_RATE * STEP_MS // 1000
    count = len(samples) // step
    level = np.sqrt((samples[: count * step].reshape(count, step) ** 2).mean(axis=1))
    loud = np.flatnonzero(level > QUIET_SHARE * level.max())
    breaks = np.flatnonzero(np.diff(loud) > GAP_MS // STEP_MS)
    starts = np.concatenate(([loud[0]], loud[breaks + 1]))
    ends = np.concatenate((loud[breaks], [loud[-1]]))
    return [Sounding(float(s * STEP_MS), float((e + 1) * STEP_MS)) for s, e in zip(starts, ends, strict=True)]


def sounding_word(heard: Heard, words: Sequence[str]) -> str:
    """The one of the words (from the heard stream's start on) that sounds at that moment, or did last; the
    first, in the moment of silence that a stream begins with."""
    with urllib.request.urlopen(heard.src) as stream:
        samples = decoded(stream.read(int(heard.ms * 8) + 40_000))
    past = [
        word for word, place in zip(words, soundings(samples), strict=False) if place.start_ms <= heard.ms
    ]
    return past[-1] if past else words[0]
