"""Coarse features of long recordings: what was said, in steps of 80 ms, and how loud. Pure computation."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from compute_worker.alignment.features import RATE, Matrix, cepstra, log_mel, loudness, power_spectra
from compute_worker.alignment.silence import measure_loudness
from compute_worker.audio.pcm import Samples

STEP_SAMPLES = 1280  # 80 ms: about one sound of speech
STEP_SECONDS = STEP_SAMPLES / RATE
_FINE_IN_STEP = 4
_LEVEL_WEIGHT = np.float32(1.5)
_LEAST_STEPS = 10  # of fewer no mean and deviation can be told
_DEAD = np.float32(-12.0)  # less than the rounding of 16 bits leaves
WIDTH = 25
_CHANGE_WEIGHT = np.float32(0.7)


@dataclass(frozen=True)
class Outline:
    """One row of features for each whole step, and whether somebody speaks in it."""

    features: Matrix = field(repr=False)
    is_speech: NDArray[np.bool_] = field(repr=False)


def outline(samples: Samples, warp: float = 1.0) -> Outline:
    """Of at least a few seconds at the features' rate: they are normalized over the speech in them. warp is
    how much shorter than the reference's the speaker's vocal tract is taken to be."""
    steps = len(samples) // STEP_SAMPLES
    spectra = power_spectra(samples[: steps * STEP_SAMPLES], STEP_SAMPLES / _FINE_IN_STEP)
    bands = log_mel(spectra, warp)
    energy = loudness(bands)
    fine_speech = measure_loudness(energy).is_speech & (energy > _DEAD)
    by_step = fine_speech[: steps * _FINE_IN_STEP].reshape(steps, _FINE_IN_STEP)
    is_speech: NDArray[np.bool_] = np.logical_or.reduce(by_step, axis=1)
    if steps < _LEAST_STEPS or not is_speech.any():
        return Outline(np.zeros((steps, WIDTH), dtype=np.float32), np.zeros(steps, dtype=np.bool_))
    static = _unit(_by_step(cepstra(bands, fine_speech), steps), is_speech)
    change = _unit(np.gradient(static, axis=0).astype(np.float32), is_speech)
    level = np.clip(_unit(_by_step(energy[:, None], steps), is_speech), -3, 2)
    rows = np.hstack((static, change * _CHANGE_WEIGHT, level * _LEVEL_WEIGHT), dtype=np.float32)
    # Two steps that have nothing to do with each other lie about 1 apart.
    spread = 2 * float(rows[is_speech].var(axis=0).sum())
    return Outline(rows / np.float32(math.sqrt(max(spread, 1e-6))), is_speech)


def _by_step(values: Matrix, steps: int) -> Matrix:
    grouped: Matrix = values[: steps * _FINE_IN_STEP].reshape(steps, _FINE_IN_STEP, -1).mean(axis=1)
    return grouped


def _unit(values: Matrix, is_speech: NDArray[np.bool_]) -> Matrix:
    spoken = values[is_speech]
    scaled: Matrix = (values - spoken.mean(axis=0)) / (spoken.std(axis=0) + np.float32(1e-3))
    return scaled
