"""From the attention that a decoder pays to the audio to when its tokens are said.

As in the reference (openai-whisper, timing.py, find_alignment): the alignment heads' attention, normalized
over the tokens, smoothed by a median over time, averaged, and the cheapest monotonic way through it.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from compute_worker.alignment.features import Matrix

FRAME_SECONDS: Final = 0.02  # of the encoder's output
_MEDIAN_WIDTH: Final = 7

Seconds = NDArray[np.float64]


def token_starts(attention: NDArray[np.float32], *, prefix: int, frames: int) -> Seconds:
    """When each text token begins, and last when the text ends.

    attention: heads by tokens by encoder frames, each row summing to 1; the tokens are `prefix` that only
    prepare, one that ends them, the text's, and the end of text. frames: how many belong to the audio.
    """
    weights = attention[:, :, :frames]
    # The same as taking the softmax of the scores of these frames alone.
    weights = weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-30)
    mean, deviation = weights.mean(axis=-2, keepdims=True), weights.std(axis=-2, keepdims=True)
    normalized = (weights - mean) / np.where(deviation > 0, deviation, 1)
    matrix = _median(normalized).mean(axis=0)[prefix:-1]
    tokens, times = cheapest_way(-matrix)
    # The row of the token that ends the prefix tells when the first text token begins, and so on.
    starts: Seconds = times[np.flatnonzero(np.diff(tokens, prepend=-1))].astype(np.float64) * FRAME_SECONDS
    return starts


def cheapest_way(costs: Matrix) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of the way from the first corner to the last one by steps of one, right, down or both
    at once; where two are as cheap, the reference's choice."""
    rows, columns = costs.shape
    totals = np.full((rows + 1, columns + 1), np.inf, dtype=np.float64)
    moves = np.zeros((rows + 1, columns + 1), dtype=np.int8)
    totals[0, 0] = 0
    values = costs.astype(np.float64).tolist()
    above = totals[0].tolist()
    for row in range(1, rows + 1):
        current = [np.inf]
        line = values[row - 1]
        left, diagonal = np.inf, above[0]
        row_moves = moves[row]
        for column in range(1, columns + 1):
            up = above[column]
            if diagonal < up and diagonal < left:
                best, move = diagonal, 0
            elif up < diagonal and up < left:
                best, move = up, 1
            else:
                best, move = left, 2
            left = line[column - 1] + best
            row_moves[column] = move
            current.append(left)
            diagonal = up
        above = current
    return _backtrace(moves)


def _backtrace(moves: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    moves[0, :], moves[:, 0] = 2, 1
    row, column = moves.shape[0] - 1, moves.shape[1] - 1
    way: list[tuple[int, int]] = []
    while row or column:
        way.append((row - 1, column - 1))
        move = moves[row, column]
        row -= move != 2
        column -= move != 1
    reached = np.array(way[::-1], dtype=np.int64).reshape(-1, 2)
    return reached[:, 0], reached[:, 1]


def _median(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Along the frames, whose ends are mirrored."""
    half = _MEDIAN_WIDTH // 2
    if weights.shape[-1] <= half:
        return weights
    padded = np.pad(weights, ((0, 0), (0, 0), (half, half)), mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, _MEDIAN_WIDTH, axis=-1)
    middle: NDArray[np.float32] = np.sort(windows, axis=-1)[..., half]
    return middle
