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


def find_path(costs: Matrix, graph: WordGraph, band: Band) -> Indices:
    """The node of each frame of the audio; costs[frame, node]."""
    count, size = costs.shape
    came_from = np.zeros((count, size), dtype=np.uint8)
    totals = np.full(size + 1, _NEVER, dtype=np.float32)  # the last one stands for "no way"
    totals[:2] = costs[0, :2]
    penalties = _penalties(graph.is_pause)
    previous_first = 0
    for frame in range(1, count):
        first, last = int(band.first[frame]), int(band.last[frame])
        best = totals[first:last] + penalties[0, first:last]
        way = np.zeros(last - first, dtype=np.uint8)
        for index in range(4):
            candidate = totals[graph.predecessors[index, first:last]]
            candidate += penalties[index + 1, first:last]
            way[candidate < best] = index + 1
            np.minimum(best, candidate, out=best)
        came_from[frame, first:last] = way
        best += costs[frame, first:last]
        totals[previous_first:first] = _NEVER
        totals[first:last] = best
        previous_first = first
    return _trace(came_from, graph, size - 1 if totals[size - 1] <= totals[size - 2] else size - 2)


def _penalties(is_pause: NDArray[np.bool_]) -> Matrix:
    penalties = np.zeros((5, len(is_pause)), dtype=np.float32)
    penalties[0, ~is_pause] = _STAY_COST
    penalties[2] = _SKIP_ONE_COST
    penalties[3, ~is_pause] = _SKIP_TWO_COST
    return penalties


def _trace(came_from: NDArray[np.uint8], graph: WordGraph, node: int) -> Indices:
    path = np.empty(len(came_from), dtype=np.int64)
    for frame in range(len(came_from) - 1, -1, -1):
        path[frame] = node
        if frame and (way := came_from[frame, node]):
            node = int(graph.predecessors[way - 1, node])
    return path
