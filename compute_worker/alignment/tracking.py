"""Follows a long recording through the text's reference speech, step by step, in bounded memory.

Time warping, one row for each step of the recording, over a stretch of the reference around the best
place so far. Besides being said slower or faster, parts of the recording may not be in the text (music, an
introduction) and parts of the text may not be read (a table of contents). What was decided long enough ago
stands.
"""

import math
from collections import deque
from dataclasses import dataclass
from operator import itemgetter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from compute_worker.alignment.features import Matrix
from compute_worker.alignment.outline import STEP_SECONDS, Outline

NOWHERE = -1
_OTHER_PACE, _THREE = np.float32(0.1), np.float32(0.3)  # staying in a step or going on by two; by three
_FOREIGN = np.float32(0.8)  # a step of speech that is not in the text; what is costs 0.65, by chance 0.95
_SILENT = np.float32(0.25)
_LEAP = np.float32(16.0)  # passing over any amount of text: as much as 10 s of speech can tell
_BEGIN_ANYWHERE = np.float32(2.0)  # title pages and notices are rarely read
_BATCH = 25  # steps, after which the stretch is centred anew
_NEVER = np.float32(1e9)
_BEHIND = int(60 / STEP_SECONDS)
_AHEAD = int(400 / STEP_SECONDS)
_AHEAD_WHEN_LOST = int(720 / STEP_SECONDS)
_LOST_AFTER = int(45 / STEP_SECONDS)
_SETTLED = int(60 / STEP_SECONDS)
_TRACE_EVERY = int(45 / STEP_SECONDS)

# For the way back, which is followed in numbers of Python: there are few of them.
_OTHER_PACE_COST, _LEAP_COST = float(_OTHER_PACE), float(_LEAP)
_STEPS_BACK = ((1, 0.0), (2, _OTHER_PACE_COST), (3, float(_THREE)))
_BY_TOTAL = itemgetter(0)

Places = NDArray[np.int64]


class Reference(Protocol):
    def rows(self, first: int, last: int) -> Matrix:
        """Features of the steps in [first, last), fewer at the end of the text."""
        ...


class Tracker:
    """Feed it outlines in order; take the settled places, one for each step of the recording: the
    reference's step that is heard there, or NOWHERE."""

    def __init__(self, *, reference: Reference) -> None:
        self._reference = reference
        self._first = 0
        self._totals = np.zeros(1, dtype=np.float32)
        self._has_begun = False
        self._rows: deque[_Row] = deque()
        self._foreign_run = _LOST_AFTER  # where the recording begins is not known
        self._untraced = 0

    @property
    def total(self) -> float:
        """What the best way so far costs."""
        return float(self._totals.min())

    def recently_found(self) -> tuple[int, int]:
        """How many of the steps that are not settled were found in the text, and how many there are."""
        places = self._trace()
        return int(np.count_nonzero(places != NOWHERE)), len(places)

    def fork(self) -> "Tracker":
        """Another one that has come as far."""
        fork = Tracker(reference=self._reference)
        fork._first, fork._totals = self._first, self._totals
        fork._rows, fork._has_begun = self._rows.copy(), True
        fork._foreign_run, fork._untraced = self._foreign_run, self._untraced
        return fork

    def feed(self, heard: Outline) -> Places:
        """Returns what has become certain, which lags behind."""
        for start in range(0, len(heard.features), _BATCH):
            end = start + _BATCH
            self._advance(heard.features[start:end], heard.is_speech[start:end])
        self._untraced += len(heard.features)
        if self._untraced < _TRACE_EVERY or len(self._rows) <= _SETTLED:
            return np.zeros(0, dtype=np.int64)
        self._untraced = 0
        places = self._trace()
        settled = len(places) - _SETTLED
        for _ in range(settled):
            self._rows.popleft()
        self._foreign_run = _length_of_last_run(places[max(0, settled - _LOST_AFTER) : settled])
        return places[:settled]

    def finish(self) -> Places:
        """The rest."""
        places = self._trace() if self._rows else np.zeros(0, dtype=np.int64)
        self._rows.clear()
        return places

    def _advance(self, features: Matrix, is_speech: NDArray[np.bool_]) -> None:
        costs = _distances(features, self._centre())
        outside = np.where(is_speech, _FOREIGN, _SILENT)
        before = self._totals
        leap = np.minimum.accumulate(before)
        leap += _LEAP
        spare = np.empty_like(before)
        for index in range(len(features)):
            best = np.empty_like(before)
            other_pace = np.add(before, _OTHER_PACE, out=spare)
            best[0] = other_pace[0]
            np.minimum(other_pace[1:], before[:-1], out=best[1:])
            np.minimum(best[2:], other_pace[:-2], out=best[2:])
            np.minimum(best[3:], np.add(before[:-3], _THREE, out=spare[3:]), out=best[3:])
            best += costs[index]
            np.minimum(best, np.add(before, outside[index], out=spare), out=best)
            if index == 0:
                np.minimum(best, leap + outside[index], out=best)
            self._rows.append(_Row(self._first, before, features[index], float(outside[index]), index == 0))
            before = best
        self._totals = before

    def _centre(self) -> Matrix:
        """Moves the stretch to where it is needed; the reference's features in it."""
        best = self._first + int(np.argmin(self._totals))
        is_lost = self._foreign_run >= _LOST_AFTER
        # What is not in the text seems to be anywhere in it: nothing is given up for that.
        first = self._first if is_lost else max(self._first, best - _BEHIND)
        last = max(best + _AHEAD, first + _AHEAD_WHEN_LOST) if is_lost else best + _AHEAD
        nodes = self._reference.rows(first, last)
        totals = np.full(len(nodes), _NEVER if self._has_begun else _BEGIN_ANYWHERE, dtype=np.float32)
        self._has_begun = True
        kept = self._totals[first - self._first :][: len(nodes)]
        totals[: len(kept)] = kept
        self._first, self._totals = first, totals
        return nodes

    def _trace(self) -> Places:
        """From the best end back to the oldest row."""
        node = self._first + int(np.argmin(self._totals))
        places = np.empty(len(self._rows), dtype=np.int64)
        if not self._rows:
            return places
        first = self._rows[0].first
        nodes = self._reference.rows(first, node + 1)
        for index, row in zip(range(len(places) - 1, -1, -1), reversed(self._rows), strict=True):
            places[index], node = row.step_back(node, nodes[node - first])
        return places


@dataclass(frozen=True, slots=True)
class _Row:
    """What is needed to see which way was the best: only asked for the places that matter."""

    first: int
    before: Matrix
    features: Matrix
    outside: float
    can_leap: bool

    def step_back(self, node: int, wanted: Matrix) -> tuple[int, int]:
        """What is heard in this row when it ends in `node`, whose features are wanted, and the node it came
        from."""
        at = node - self.first
        total = self.before.item
        apart = self.features - wanted
        matched = math.sqrt(float(apart.dot(apart)))
        choices = [
            (total(at) + self.outside, NOWHERE, at),
            (total(at) + matched + _OTHER_PACE_COST, node, at),
        ]
        for back, cost in _STEPS_BACK[:at]:
            choices.append((total(at - back) + matched + cost, node, at - back))
        if self.can_leap and at:
            source = int(np.argmin(self.before[: at + 1]))
            choices.append((total(source) + _LEAP_COST + self.outside, NOWHERE, source))
        _, heard, source = min(choices, key=_BY_TOTAL)
        return heard, self.first + source


def _distances(features: Matrix, nodes: Matrix) -> Matrix:
    """Of every step from every node; in one product, which also adds the squares of both."""
    squares = np.einsum("ij,ij->i", features, features)[:, None]
    left = np.hstack((features * np.float32(-2), squares, np.ones_like(squares)))
    squares = np.einsum("ij,ij->i", nodes, nodes)[:, None]
    costs: Matrix = left @ np.hstack((nodes, np.ones_like(squares), squares)).T
    np.maximum(costs, 0, out=costs)
    return np.sqrt(costs, out=costs)


def _length_of_last_run(places: Places) -> int:
    """How many of the last steps were not found in the text; a few found by chance do not count."""
    found = np.count_nonzero(places != NOWHERE)
    return 0 if found > len(places) // 3 else len(places)
