"""What of a recording is compared: mel spectra, cepstra normalized over its speech, and how they change."""

from functools import cache

import numpy as np
import soxr
from numpy.typing import NDArray

from compute_worker.audio.pcm import Samples

Matrix = NDArray[np.float32]  # one row for each frame

RATE = 16_000
HOP_SAMPLES = 160.0  # 10 ms
_WINDOW = 400
_FFT = 512
_AT_ONCE = 128  # frames, whose spectra stay in the processor's cache
_BANDS = 26
_CEPSTRA = 13
_LOWEST_HZ, _HIGHEST_HZ = 80.0, 7_600.0
_FLOOR = np.float32(1e-8)
_PRE_EMPHASIS = np.float32(0.97)
_TINY = np.float32(1e-3)


def at_feature_rate(samples: Samples, sample_rate: int) -> Samples:
    if sample_rate == RATE:
        return samples
    resampled: Samples = soxr.resample(samples, sample_rate, RATE, quality="HQ")
    return resampled


def power_spectra(samples: Samples, hop_samples: float) -> Matrix:
    """Frames lie `hop_samples` apart, which need not be whole, each around the middle of its slot."""
    emphasized = np.append(samples[:1], samples[1:] - _PRE_EMPHASIS * samples[:-1])
    count = max(1, int(len(samples) / hop_samples))
    centres = (np.arange(count) * hop_samples + hop_samples / 2).astype(np.int64)
    padded = np.pad(emphasized, (_WINDOW // 2, _WINDOW))
    slots = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)
    powers = np.empty((count, _FFT // 2 + 1), dtype=np.float32)
    windows = np.zeros((_AT_ONCE, _FFT), dtype=np.float32)
    for first in range(0, count, _AT_ONCE):
        own = centres[first : first + _AT_ONCE]
        np.multiply(slots[own], _hamming(), out=windows[: len(own), :_WINDOW])
        parts = np.fft.rfft(windows[: len(own)]).view(np.float32)
        np.square(parts, out=parts)
        np.add(parts[:, ::2], parts[:, 1::2], out=powers[first : first + len(own)])
    return powers


def log_mel(spectra: Matrix, warp: float = 1.0) -> Matrix:
    """warp stretches the filters' frequencies: another length of the speaker's vocal tract."""
    bands: Matrix = np.log(spectra @ _mel_filters(warp).T + _FLOOR)
    return bands


def frame_energy(samples: Samples) -> Matrix:
    """Log energy of the samples themselves, every 10 ms: a quick look without spectra."""
    hop = int(HOP_SAMPLES)
    padded = np.pad(samples, (0, -len(samples) % hop or (0 if len(samples) else hop)))
    emphasized = np.diff(padded, prepend=padded[:1]).reshape(-1, hop)
    energy: Matrix = np.log(np.mean(emphasized**2, axis=1) + _FLOOR)
    return energy


def loudness(bands: Matrix) -> Matrix:
    """Log energy of each frame."""
    energy: Matrix = np.log(np.exp(bands).sum(axis=1))
    return energy


def cepstra(bands: Matrix, is_speech: NDArray[np.bool_]) -> Matrix:
    """Without the first, which is loudness; mean and deviation over the speech are 0 and 1."""
    return _normalized((bands @ _cosines().T)[:, 1:], is_speech)


def features(static: Matrix, energy: Matrix, is_speech: NDArray[np.bool_]) -> Matrix:
    """Cepstra, their change, loudness and its change, each of unit deviation over the speech."""
    level = np.clip(_normalized(energy[:, None], is_speech), -3, 2)
    return np.hstack(
        (
            static,
            _unit_deviation(_deltas(static), is_speech),
            level,
            _unit_deviation(_deltas(level), is_speech),
        ),
        dtype=np.float32,
    )


def _normalized(values: Matrix, is_speech: NDArray[np.bool_]) -> Matrix:
    spoken = values[is_speech]
    normalized: Matrix = (values - spoken.mean(axis=0)) / (spoken.std(axis=0) + _TINY)
    return normalized


def _unit_deviation(values: Matrix, is_speech: NDArray[np.bool_]) -> Matrix:
    scaled: Matrix = values / (values[is_speech].std(axis=0) + _TINY)
    return scaled


def _deltas(values: Matrix) -> Matrix:
    """Regression over two frames on either side."""
    padded = np.pad(values, ((2, 2), (0, 0)), mode="edge")
    return (2 * (padded[4:] - padded[:-4]) + padded[3:-1] - padded[1:-3]) / np.float32(10)


@cache
def _hamming() -> Samples:
    return np.hamming(_WINDOW).astype(np.float32)


@cache
def _cosines() -> Matrix:
    angles = np.pi / _BANDS * (np.arange(_BANDS) + 0.5)[None] * np.arange(_CEPSTRA)[:, None]
    cosines: Matrix = (np.cos(angles) * np.sqrt(2 / _BANDS)).astype(np.float32)
    return cosines


@cache
def _mel_filters(warp: float) -> Matrix:
    lowest, highest = (2595 * np.log10(1 + hertz / 700) for hertz in (_LOWEST_HZ, _HIGHEST_HZ))
    corners = 700 * (10 ** (np.linspace(lowest, highest, _BANDS + 2) / 2595) - 1) * warp
    left, middle, right = (corners[offset : offset + _BANDS, None] for offset in range(3))
    hertz = np.arange(_FFT // 2 + 1)[None] * RATE / _FFT
    slopes = np.minimum((hertz - left) / (middle - left), (right - hertz) / (right - middle))
    filters: Matrix = np.clip(slopes, 0, None).astype(np.float32)
    return filters
