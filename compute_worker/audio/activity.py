"""Where in a recording somebody speaks."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from compute_worker.audio.pcm import Samples
from compute_worker.speech.model import SAMPLE_RATE

STEP_SAMPLES = SAMPLE_RATE // 200  # 5 ms
STEP_MS = 5
_SILENCE_DB = -65.0  # below this nothing is speech, whatever surrounds it
_BELOW_PEAK_DB = -45.0  # the end of an "f" or "s" is that much weaker than a vowel
_ABOVE_NOISE_DB = 6.0
_NOISE_CEILING_DB = -35.0  # a noise estimate nearer to the peak than this is speech without pauses
_BRIDGE_STEPS = 12  # 60 ms: the closure before a "p" or "t" is no pause


@dataclass(frozen=True)
class Activity:
    """One flag for each 5 ms; pauses shorter than 60 ms count as speech."""

    flags: NDArray[np.bool_] = field(repr=False)

    @property
    def bounds(self) -> tuple[int, int] | None:
        """First and last spoken sample (exclusive); None when nothing is said."""
        active = np.flatnonzero(self.flags)
        if not len(active):
            return None
        return int(active[0]) * STEP_SAMPLES, (int(active[-1]) + 1) * STEP_SAMPLES

    def cut(self, start: int, end: int) -> "Activity":
        """For the samples from start to end, which may lie outside; both on whole steps."""
        first, last = start // STEP_SAMPLES, end // STEP_SAMPLES
        inside = self.flags[max(0, first) : min(last, len(self.flags))]
        return Activity(np.pad(inside, (max(0, -first), max(0, last - len(self.flags)))))

    def tighten(self, start_ms: float, end_ms: float) -> tuple[float, float]:
        """The same span without the silence at its ends; unchanged when it holds nothing else."""
        first, last = int(start_ms // STEP_MS), int(-(-end_ms // STEP_MS))
        active = np.flatnonzero(self.flags[first:last])
        if not len(active):
            return start_ms, end_ms
        return (
            max(start_ms, float((first + active[0]) * STEP_MS)),
            min(end_ms, float((first + active[-1] + 1) * STEP_MS)),
        )

    def spoken_instants(self) -> NDArray[np.float64]:
        """Milliseconds of each spoken 5 ms, in order: the time line with its pauses taken out."""
        return np.flatnonzero(self.flags).astype(np.float64) * STEP_MS


def find_activity(samples: Samples) -> Activity:
    steps = len(samples) // STEP_SAMPLES
    if not steps:
        return Activity(np.zeros(0, dtype=np.bool_))
    blocks = samples[: steps * STEP_SAMPLES].reshape(steps, STEP_SAMPLES)
    blocks = blocks - blocks.mean()  # a constant offset is no sound
    energy = np.einsum("ij,ij->i", blocks, blocks).astype(np.float64)
    level = 10 * np.log10(np.maximum(energy / STEP_SAMPLES, 1e-12))
    peak = float(np.max(level))
    noise = min(float(np.percentile(level, 5)) + _ABOVE_NOISE_DB, peak + _NOISE_CEILING_DB)
    flags = level > max(_SILENCE_DB, peak + _BELOW_PEAK_DB, noise)
    return Activity(_bridge(flags))


def _bridge(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    active = np.flatnonzero(flags)
    bridged = flags.copy()
    for left, right in pairwise(active.tolist()):
        if 1 < right - left <= _BRIDGE_STEPS:
            bridged[left:right] = True
    return bridged
