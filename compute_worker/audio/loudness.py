"""Loudness by ITU-R BS.1770-4 and the gain that brings speech to the stream's level."""

from functools import lru_cache

import numpy as np
import soxr
from numpy.typing import ArrayLike, NDArray

from compute_worker.audio.pcm import Samples
from compute_worker.speech.model import SAMPLE_RATE

TARGET_LUFS = -19.0
PEAK_LIMIT_DB = -1.0  # dBTP
_BLOCK = SAMPLE_RATE * 4 // 10
_STEP = SAMPLE_RATE // 10
_ABSOLUTE_GATE = -70.0
_RELATIVE_GATE = -10.0
_SETTLING = SAMPLE_RATE // 2  # the weighting filter has died away by then
_PART = 128  # samples: longer than the filter that oversamples reaches
_OVERSHOOT = 1.6  # by this factor the peak between the samples of speech may exceed that of the samples


def integrated_loudness(samples: Samples) -> float:
    """LUFS; -inf for silence. A segment shorter than one block of 400 ms counts as one block."""
    weighted = _k_weighted(samples)
    if len(weighted) < _BLOCK:
        blocks = np.array([np.mean(weighted**2)]) if len(weighted) else np.zeros(1)
    else:
        steps = weighted[: len(weighted) - len(weighted) % _STEP].reshape(-1, _STEP)
        energy = np.einsum("ij,ij->i", steps, steps).astype(np.float64)
        blocks = np.convolve(energy, np.ones(_BLOCK // _STEP), "valid") / _BLOCK
    audible = blocks[_lufs(blocks) > _ABSOLUTE_GATE]
    if not len(audible):
        return float("-inf")
    gate = _lufs(np.mean(audible)) + _RELATIVE_GATE
    return float(_lufs(np.mean(audible[_lufs(audible) > gate])))


def true_peak(samples: Samples) -> float:
    """Linear peak between the samples too, by fourfold oversampling."""
    if not len(samples):
        return 0.0
    peak = np.max(np.abs(samples))
    oversampled = soxr.resample(_loud_parts(samples, peak / _OVERSHOOT), 1, 4, quality="MQ")
    return float(max(np.max(np.abs(oversampled)), peak))


def normalize_loudness(samples: Samples) -> Samples:
    """One gain for the whole segment, never so much that it clips. Silence stays silence."""
    loudness = integrated_loudness(samples)
    if loudness == float("-inf"):
        return samples
    gain = 10 ** ((TARGET_LUFS - loudness) / 20)
    limit = 10 ** (PEAK_LIMIT_DB / 20)
    if float(np.max(np.abs(samples))) * gain * _OVERSHOOT > limit:
        gain = min(gain, limit / true_peak(samples))
    return samples * np.float32(gain)


def _loud_parts(samples: Samples, size: float) -> Samples:
    """What is that far from zero, with what is near it on both sides. At the seams nothing is."""
    whole = np.pad(samples, (0, -len(samples) % _PART)).reshape(-1, _PART)
    is_loud = np.pad(np.max(np.abs(whole), axis=1) >= size, 1)
    parts: Samples = whole[is_loud[:-2] | is_loud[1:-1] | is_loud[2:]].ravel()
    return parts


def _lufs(mean_square: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(-0.691 + 10 * np.log10(np.maximum(mean_square, 1e-12)))


def _k_weighted(samples: Samples) -> Samples:
    size = _fast_size(len(samples) + _SETTLING)
    spectrum = np.fft.rfft(samples, size)  # single precision stays single: twice as fast
    return np.fft.irfft(spectrum * _k_response(size), size)[: len(samples)].astype(np.float32, copy=False)


def _fast_size(minimum: int) -> int:
    power = 1 << (minimum - 1).bit_length()
    return next(size for size in (power // 2 * 5 // 4, power // 2 * 3 // 2, power) if size >= minimum)


@lru_cache(maxsize=32)
def _k_response(size: int) -> NDArray[np.complex64]:
    """BS.1770's two filters at our rate, from their analogue prototypes."""
    z = np.exp(-2j * np.pi * np.fft.rfftfreq(size))
    k = np.tan(np.pi * 1681.974450955533 / SAMPLE_RATE)
    q, high = 0.7071752369554196, 10 ** (3.999843853973347 / 20)
    band = high**0.4996667741545416
    shelf = _biquad(z, (high + band * k / q + k * k, 2 * (k * k - high), high - band * k / q + k * k), k, q)
    k = np.tan(np.pi * 38.13547087602444 / SAMPLE_RATE)
    q = 0.5003270373238773
    gain = 1 + k / q + k * k  # the standard's high-pass is not scaled to unity
    high_pass = _biquad(z, (gain, -2 * gain, gain), k, q)
    return (shelf * high_pass).astype(np.complex64)


def _biquad(
    z: NDArray[np.complex128], numerator: tuple[float, float, float], k: float, q: float
) -> NDArray[np.complex128]:
    b0, b1, b2 = numerator
    denominator = (1 + k / q + k * k) + 2 * (k * k - 1) * z + (1 - k / q + k * k) * z * z
    return (b0 + b1 * z + b2 * z * z) / denominator
