"""Where a word begins that begins with silence, as "p", "t" and "k" do before their release."""

from dataclasses import replace

from compute_worker.alignment.word_graph import WordGraph
from compute_worker.speech.model import WordTime

_CLOSURE_MS = 80  # a longer silence between two words is a pause
_REFERENCE_CLOSURE_MS = 50.0


def with_closures(
    words: tuple[WordTime, ...], graph: WordGraph, reference_frame_ms: float
) -> tuple[WordTime, ...]:
    """The silence of a "p" or "t" before its release belongs to the word that begins with it. Between two
    words it is all of a short silence, unless the reference is silent at the end of the first one rather;
    after a pause it is as long as in the reference."""
    before = 0
    closed = []
    for index, word in enumerate(words):
        start_ms = word.start_ms
        is_its_own = index > 0 and graph.endings[index - 1] <= graph.closures[index]
        if is_its_own and start_ms - before <= _CLOSURE_MS:
            start_ms = before
        else:
            closure_ms = min(_REFERENCE_CLOSURE_MS, graph.closures[index] * reference_frame_ms)
            start_ms = max(before, round(start_ms - closure_ms))
        closed.append(replace(word, start_ms=start_ms))
        before = word.end_ms
    return tuple(closed)
