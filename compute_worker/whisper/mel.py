"""What Whisper's encoder listens to: log-mel spectra of 30 seconds, computed as in its audio.py."""

from functools import cache
from typing import Final

import numpy as np

from compute_worker.alignment.features import Matrix
from compute_worker.audio.pcm import Samples

RATE: Final = 16_000
WINDOW_SECONDS: Final = 30
WINDOW_SAMPLES: Final = WINDOW_SECONDS * RATE
HOP_SAMPLES: Final = 160
_FFT: Final = 400
_RANGE: Final = 8.0  # decades below the loudest that are told apart


def log_mel_spectrum(samples: Samples, bands: int) -> Matrix:
    """Bands by frames, 100 of them a second, of at most 30 s; shorter audio is followed by silence."""
    padded = np.zeros(WINDOW_SAMPLES, dtype=np.float32)
    padded[: len(samples)] = samples[:WINDOW_SAMPLES]
    centred = np.pad(padded, _FFT // 2, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(centred, _FFT)[::HOP_SAMPLES][:-1]
    spectra = np.fft.rfft(windows * _hann(), axis=1)
    power = (spectra.real**2 + spectra.imag**2).astype(np.float32)
    logarithms = np.log10(np.maximum(_mel_filters(bands) @ power.T, 1e-10))
    limited = np.maximum(logarithms, logarithms.max() - _RANGE)
    scaled: Matrix = ((limited + 4.0) / 4.0).astype(np.float32)
    return scaled


@cache
def _hann() -> Samples:
    """Periodic."""
    angles = 2 * np.pi * np.arange(_FFT) / _FFT
    return (0.5 - 0.5 * np.cos(angles)).astype(np.float32)


@cache
def _mel_filters(bands: int) -> Matrix:
    """Slaney's scale (linear to 1 kHz, logarithmic above) and normalization by area, as librosa's."""
    corners = _hertz(np.linspace(0, _mel(RATE / 2), bands + 2))
    frequencies = np.linspace(0, RATE / 2, _FFT // 2 + 1)
    widths = np.diff(corners)
    ramps = corners[:, None] - frequencies[None]
    rising, falling = -ramps[:-2] / widths[:-1, None], ramps[2:] / widths[1:, None]
    filters = np.maximum(0, np.minimum(rising, falling))
    filters *= (2.0 / (corners[2:] - corners[:-2]))[:, None]
    return filters.astype(np.float32)


_LINEAR_HZ: Final = 200 / 3
_BREAK_HZ: Final = 1000.0
_STEP: Final = np.log(6.4) / 27


def _mel(hertz: float) -> float:
    if hertz < _BREAK_HZ:
        return hertz / _LINEAR_HZ
    return float(_BREAK_HZ / _LINEAR_HZ + np.log(hertz / _BREAK_HZ) / _STEP)


def _hertz(
    mel: "np.ndarray[tuple[int], np.dtype[np.float64]]",
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    start = _BREAK_HZ / _LINEAR_HZ
    return np.where(mel < start, mel * _LINEAR_HZ, _BREAK_HZ * np.exp(_STEP * (mel - start)))
