"""To which word a silence between two of them belongs. Frames of the reference are 10 ms long."""

import numpy as np

from compute_worker.alignment.closures import with_closures
from compute_worker.alignment.word_graph import WordGraph, build_graph
from compute_worker.speech.model import WordTime

FRAME_MS = 10.0
WORDS = (WordTime(0, 100, 0, 2), WordTime(100, 200, 3, 5))


def reference(*, ending: int = 0, closure: int = 0) -> WordGraph:
    """Two words of ten frames, silent at the end of the first and at the start of the second."""
    is_speech = np.ones(20, dtype=np.bool_)
    is_speech[10 - ending : 10 + closure] = False
    return build_graph(WORDS, is_speech, FRAME_MS)


def heard(gap_ms: int, graph: WordGraph) -> tuple[int, int]:
    """The end of the first word and the start of the second, which sound so far apart."""
    words = (WordTime(0, 300, 0, 2), WordTime(300 + gap_ms, 700, 3, 5))
    first, second = with_closures(words, graph, FRAME_MS)
    return first.end_ms, second.start_ms


def test_a_short_silence_is_the_beginning_of_the_word_after_it():
    assert heard(60, reference(closure=4)) == (300, 300)


def test_after_a_pause_a_word_begins_as_long_before_its_sound_as_in_the_reference():
    assert heard(400, reference(closure=4)) == (300, 660)


def test_the_silence_before_a_release_is_not_taken_for_longer_than_50_ms():
    assert heard(400, reference(closure=8)) == (300, 650)


def test_a_silence_that_ends_the_word_before_it_in_the_reference_is_not_of_the_next_one():
    assert heard(60, reference(ending=4)) == (300, 360)


def test_nothing_is_taken_from_words_that_touch():
    assert heard(0, reference(closure=4)) == (300, 300)


def test_the_first_word_begins_no_earlier_than_the_sound():
    graph = reference()
    first, _ = with_closures((WordTime(0, 300, 0, 2), WordTime(300, 700, 3, 5)), graph, FRAME_MS)
    assert first.start_ms == 0
