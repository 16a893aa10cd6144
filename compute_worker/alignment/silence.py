"""Which frames are spoken, and how much each frame sounds like the recording's own silence."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from compute_worker.alignment.features import Matrix

_DB_PER_LOG = np.float32(10 / np.log(10))
_BELOW_PEAK_DB = 40.0
_ABOVE_NOISE_DB = 6.0
_NOISE_CEILING_DB = 25.0  # a noise estimate nearer to the peak than this is speech without pauses
_FAINT_DB = 3.0
_SLOPE_DB = 10.0  # this much louder costs one more
_LEAST_COST, _MOST_COST = -0.3, 3.0
_BASE_COST = 0.55  # what a frame as loud as the faintest speech costs
_LIKE_NOISE_COST = 0.1
_QUIETEST_SHARE = 12  # one frame in so many is taken for the background


@dataclass(frozen=True)
class Loudness:
    """Decibels by frame, with the threshold above which a frame counts as speech."""

    decibels: Matrix = field(repr=False)
    threshold: float

    @property
    def is_speech(self) -> NDArray[np.bool_]:
        return self.decibels > self.threshold


def measure_loudness(energy: Matrix) -> Loudness:
    """energy is the natural logarithm of each frame's energy."""
    decibels = energy * _DB_PER_LOG
    noise, peak = np.percentile(decibels, (4, 98)).tolist()
    threshold = max(peak - _BELOW_PEAK_DB, min(noise + _ABOVE_NOISE_DB, peak - _NOISE_CEILING_DB))
    return Loudness(decibels, min(threshold, float(decibels.max()) - 1))


def silence_costs(loudness: Loudness, features: Matrix) -> Matrix:
    """What it costs to take each frame for a pause: little when it is faint, and little when it resembles
    the quietest frames, which are what is left of noise and reverberation when nobody speaks."""
    above = (loudness.decibels - (loudness.threshold - _FAINT_DB)) / _SLOPE_DB
    by_level = np.clip(above, _LEAST_COST, _MOST_COST) + _BASE_COST
    quietest = np.argsort(loudness.decibels)[: max(5, len(features) // _QUIETEST_SHARE)]
    background = np.median(features[quietest], axis=0)
    by_spectrum = np.sqrt(np.mean((features - background) ** 2, axis=1)) + _LIKE_NOISE_COST
    costs: Matrix = np.minimum(by_level, by_spectrum).astype(np.float32)
    return costs
