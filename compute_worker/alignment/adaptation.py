"""Brings the reference's voice nearer to the one in the audio, by what a first alignment paired."""

import numpy as np
from numpy.typing import NDArray

from compute_worker.alignment.features import Matrix, cepstra, log_mel
from compute_worker.alignment.word_graph import Indices

_WARPS = (0.82, 0.88, 0.94, 1.0, 1.06, 1.12, 1.18, 1.24, 1.3)
_TRUST_IN_IDENTITY = 100.0  # as many pairs speak for no change at all


class NoiseFloor:
    """Raises both recordings' bands so that the quieter background of one does not tell them apart."""

    def __init__(self, *, one: Matrix, other: Matrix) -> None:
        (one_low, one_high), (other_low, other_high) = (
            np.percentile(bands, (5, 95), axis=0) for bands in (one, other)
        )
        span = np.minimum(np.minimum(one_high - one_low, other_high - other_low), 9.0) + 1.0
        self._one = (one_high - span).astype(np.float32)
        self._other = (other_high - span).astype(np.float32)

    def raise_one(self, bands: Matrix) -> Matrix:
        raised: Matrix = np.maximum(bands, self._one)
        return raised

    def raise_other(self, bands: Matrix) -> Matrix:
        raised: Matrix = np.maximum(bands, self._other)
        return raised


def adapted_cepstra(
    spectra: Matrix,
    floor: NoiseFloor,
    is_speech: NDArray[np.bool_],
    pairs: tuple[Indices, Matrix],
) -> Matrix:
    """The reference's cepstra under the best warp of frequencies and then the linear map that brings them
    nearest to the audio's. pairs: frames of the reference, and the audio's cepstra at each of them."""
    frames, wanted = pairs
    warped = [cepstra(floor.raise_other(log_mel(spectra, warp)), is_speech) for warp in _WARPS]
    errors = [np.sqrt(((one[frames] - wanted) ** 2).sum(axis=1)).mean() for one in warped]
    nearest = warped[int(np.argmin(errors))]
    return _mapped(nearest, nearest[frames], wanted)


def _mapped(values: Matrix, given: Matrix, wanted: Matrix) -> Matrix:
    """Ridge regression towards the identity."""
    size = values.shape[1]
    inputs = np.hstack((given, np.ones((len(given), 1), dtype=np.float32)))
    identity = np.vstack((np.eye(size), np.zeros((1, size)))).astype(np.float32)
    gram = inputs.T @ inputs + np.float32(_TRUST_IN_IDENTITY) * np.eye(size + 1, dtype=np.float32)
    weights = np.linalg.solve(gram, inputs.T @ wanted + np.float32(_TRUST_IN_IDENTITY) * identity)
    mapped: Matrix = values @ weights[:-1] + weights[-1]
    return mapped
