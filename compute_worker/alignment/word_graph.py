"""The reference as a graph for the search: its words frame by frame, a possible pause between any two."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from compute_worker.speech.model import WordTime

PAUSE = -1  # in place of a reference frame
_LONGEST_LEAD_MS = 50.0  # a longer silence at a word's start is a pause, not the closure of its "p" or "t"
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class WordGraph:
    """Nodes in order: pause, frames of the first word, pause, ..., pause. Going on to a frame may leave out
    up to two; a pause may be left out always. predecessors[k][node] is the k-th way to a node besides
    staying in it, `size` meaning none: one, two, three frames back, or the pause before a word."""

    frames: Indices = field(repr=False)  # of the reference; PAUSE for a pause
    words: Indices = field(repr=False)  # of a pause: the word after it
    closures: tuple[int, ...] = field(
        repr=False
    )  # frames of silence with which each word begins, as "p" does
    endings: tuple[int, ...] = field(repr=False)  # and with which it ends
    predecessors: Indices = field(repr=False)

    @property
    def size(self) -> int:
        return len(self.frames)

    @property
    def is_pause(self) -> NDArray[np.bool_]:
        return np.equal(self.frames, PAUSE)


def build_graph(words: Sequence[WordTime], is_speech: NDArray[np.bool_], frame_ms: float) -> WordGraph:
    """Silence of the reference at a word's ends becomes part of the pauses."""
    frames: list[int] = []
    owners: list[int] = []
    closures: list[int] = []
    endings: list[int] = []
    for index, word in enumerate(words):
        following_ms = words[index + 1].start_ms if index + 1 < len(words) else len(is_speech) * frame_ms
        slot = _slot(word.start_ms / frame_ms, following_ms / frame_ms, len(is_speech))
        inside, closure, ending = _spoken_frames(slot, is_speech, frame_ms)
        closures.append(closure)
        endings.append(ending)
        frames += [PAUSE, *inside]
        owners += [index] * (len(inside) + 1)
    graph_frames = np.array([*frames, PAUSE])
    return WordGraph(
        frames=graph_frames,
        words=np.array([*owners, len(words)]),
        closures=tuple(closures),
        endings=tuple(endings),
        predecessors=_predecessors(graph_frames),
    )


def _slot(start: float, end: float, count: int) -> range:
    first = min(round(start), count - 1)
    return range(first, max(first + 1, min(round(end), count)))


def _spoken_frames(slot: range, is_speech: NDArray[np.bool_], frame_ms: float) -> tuple[range, int, int]:
    """What of a word's slot is spoken, and the frames of silence before and after that."""
    active = np.flatnonzero(is_speech[slot.start : slot.stop])
    if not len(active):
        return slot, 0, 0
    before, last = int(active[0]), slot.start + int(active[-1]) + 1
    lead = before if before * frame_ms > _LONGEST_LEAD_MS else 0
    return range(slot.start + lead, last), before, slot.stop - last


def _predecessors(frames: Indices) -> Indices:
    size = len(frames)
    is_pause = frames == PAUSE
    spoken, pauses = np.flatnonzero(~is_pause), np.flatnonzero(is_pause)
    ways = np.full((4, size), size)
    for back in (1, 2, 3):
        ways[back - 1, spoken[back:]] = spoken[:-back]
    firsts = pauses[:-1] + 1
    ways[3, firsts] = firsts - 1
    ways[0, pauses[1:]] = pauses[1:] - 1
    can_skip = pauses[1:][~is_pause[pauses[1:] - 2]]
    ways[1, can_skip] = can_skip - 2
    return ways
