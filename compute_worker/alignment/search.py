"""The cheapest way of the audio's frames through the graph: time warping, one row of numpy calls a frame.

Every frame of the audio is matched once and the reference moves on by none to three frames, so the slope lies
between 0 and 3, and every row follows from the one before it without a loop over its nodes.
"""

from dataclasses import dataclass, field

import numpy as np

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
    penalties = _penalties(graph)
    farthest = len(penalties) - 1
    # So many columns before the first node stand for "no way".
    totals = np.full((count, farthest + size), _NEVER, dtype=np.float32)
    sources = _shifted(totals, farthest)
    totals[0, farthest : farthest + 2] = costs[0, :2]
    bounds = band.first.tolist()[1:], band.last.tolist()[1:]
    frames = zip(*bounds, sources[:-1], totals[1:, farthest:], costs[1:], strict=True)
    add, cheapest = np.add, np.minimum.reduce  # looked up once: what surrounds the numbers is half the work
    for first, last, before, after, cost in frames:
        ways = add(before[:, first:last], penalties[:, first:last])
        add(cheapest(ways, 0), cost[first:last], out=after[first:last])
    last_word, after_it = totals[-1, -2:]
    end = size - 1 if after_it <= last_word else size - 2
    return _trace(sources, penalties, end) if totals[-1, farthest + end] < _NEVER else None


def _penalties(graph: WordGraph) -> Matrix:
    """penalties[back, node]: what it costs to come to a node from the one so many places before it."""
    is_pause = graph.is_pause
    nodes = np.arange(graph.size)
    exists = graph.predecessors < graph.size
    back = np.where(exists, nodes - graph.predecessors, 0)
    penalties = np.full((int(back.max()) + 1, graph.size), _NEVER, dtype=np.float32)
    penalties[0] = np.where(is_pause, 0, _STAY_COST)
    costs = np.zeros((4, graph.size), dtype=np.float32)
    costs[1] = _SKIP_ONE_COST
    costs[2] = np.where(is_pause, 0, _SKIP_TWO_COST)
    for way in (3, 2, 1, 0):
        known = exists[way]
        penalties[back[way, known], nodes[known]] = costs[way, known]
    return penalties


def _shifted(totals: Matrix, farthest: int) -> Matrix:
    """A view: [frame, back, node] is the total of the node so many places before it."""
    rows, nodes = totals.strides
    count, width = totals.shape
    return np.lib.stride_tricks.as_strided(
        totals[:, farthest:],
        (count, farthest + 1, width - farthest),
        (rows, -nodes, nodes),
        writeable=False,
    )


def _trace(sources: Matrix, penalties: Matrix, node: int) -> Indices:
    """Which way was the best is only asked for the nodes that matter."""
    by_node = np.ascontiguousarray(penalties.T)
    path = [node]
    for before in sources[-2::-1]:
        node -= int((before[:, node] + by_node[node]).argmin())
        path.append(node)
    return np.array(path[::-1], dtype=np.int64)
