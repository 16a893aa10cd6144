"""Plain samples in memory."""

from dataclasses import dataclass, field

import numpy as np
import soxr
from numpy.typing import NDArray

from compute_worker.speech.model import SAMPLE_RATE

Samples = NDArray[np.float32]  # mono, full scale is 1.0


@dataclass(frozen=True)
class Pcm:
    samples: Samples = field(repr=False)
    sample_rate: int

    def at_stream_rate(self) -> Samples:
        if self.sample_rate == SAMPLE_RATE:
            return self.samples
        resampled: Samples = soxr.resample(self.samples, self.sample_rate, SAMPLE_RATE, quality="HQ")
        return resampled


def from_s16(body: bytes) -> Samples:
    """Little-endian 16-bit samples; half a sample at the end of a cut transfer is dropped."""
    whole = len(body) - len(body) % 2
    return np.frombuffer(body, dtype="<i2", count=whole // 2).astype(np.float32) / np.float32(32768)
