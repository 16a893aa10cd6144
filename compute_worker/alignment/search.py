"""The cheapest way of the audio's frames through the graph: time warping, one row of numpy calls a frame.

Every frame of the audio is matched once and the reference moves on by none to three frames, so the slope lies
between 0 and 3, and every row follows from the one before it without a loop over its nodes.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from compute_worker.alignment.features import Matrix
from compute_worker.alignment.word_graph import Indices, WordGraph

_NEVER = np.float32(1e9)
_STAY_COST, _SKIP_ONE_COST, _SKIP_TWO_COST = 0.15, 0.1, 0.4


@dataclass(frozen=True)
class Band:
    """The nodes that are looked at for each frame of the audio: from first to last, exclusive."""

    first: Indices = field(repr=False)
    last: Indices = field(repr=False)


def band_around(nodes: Indices, half_width: int, size: int) -> Band:
    """nodes never decrease; both ends of the graph stay in reach."""
    first = np.maximum(nodes - half_width, 0)
    last = np.minimum(nodes + half_width + 1, size)
    first[0], last[-1] = 0, size
    return Band(first, last)


def find_path(costs: Matrix, graph: WordGraph, band: Band) -> Indices | None:
    """The node of each frame of the audio; costs[frame, node]. None when no way leads to the end in time."""
    count, size = costs.shape
    ways = np.vstack((np.arange(size), graph.predecessors))
    penalties = _penalties(graph.is_pause)
    totals = np.full((count, size + 1), _NEVER, dtype=np.float32)  # the last column stands for "no way"
    totals[0, :2] = costs[0, :2]
    bounds = zip(band.first.tolist()[1:], band.last.tolist()[1:], strict=True)
    for frame, (first, last) in enumerate(bounds, start=1):
        candidates = totals[frame - 1].take(ways[:, first:last], mode="clip")  # none is out of range
        candidates += penalties[:, first:last]
        best = candidates.min(axis=0)
        best += costs[frame, first:last]
        totals[frame, first:last] = best
    end = size - 1 if totals[-1, size - 1] <= totals[-1, size - 2] else size - 2
    return _trace(totals, ways, penalties, end) if totals[-1, end] < _NEVER else None


def _penalties(is_pause: NDArray[np.bool_]) -> Matrix:
    penalties = np.zeros((5, len(is_pause)), dtype=np.float32)
    penalties[0, ~is_pause] = _STAY_COST
    penalties[2] = _SKIP_ONE_COST
    penalties[3, ~is_pause] = _SKIP_TWO_COST
    return penalties


def _trace(totals: Matrix, ways: Indices, penalties: Matrix, node: int) -> Indices:
    """Which way was the best is only asked for the nodes that matter."""
    path = np.empty(len(totals), dtype=np.int64)
    for frame in range(len(totals) - 1, 0, -1):
        path[frame] = node
        options = ways[:, node]
        node = int(options[np.argmin(totals[frame - 1, options] + penalties[:, node])])
    path[0] = node
    return path
