"""The graph of a reference and the cheapest way through it, on costs made by hand."""

import numpy as np
import pytest

from compute_worker.alignment.search import band_around, find_path
from compute_worker.alignment.word_graph import PAUSE, build_graph
from compute_worker.speech.model import WordTime

FRAME_MS = 10.0
WORDS = (WordTime(0, 50, 0, 2), WordTime(50, 100, 3, 5))  # five frames each
GRAPH = build_graph(WORDS, np.ones(10, dtype=np.bool_), FRAME_MS)
PAUSE_COST = 0.5


def costs_of(heard: list[int]) -> np.ndarray:
    """heard: which reference frame each frame of the audio is, PAUSE for silence."""
    costs = np.array([[float(frame != node) for node in GRAPH.frames] for frame in heard], dtype=np.float32)
    costs[:, GRAPH.is_pause] = [[0.0 if frame == PAUSE else PAUSE_COST] for frame in heard]
    return costs


def way(heard: list[int]) -> list[int] | None:
    everywhere = band_around(np.zeros(len(heard), dtype=np.int64), GRAPH.size, GRAPH.size)
    path = find_path(costs_of(heard), GRAPH, everywhere)
    return None if path is None else GRAPH.frames[path].tolist()


def test_words_stand_between_pauses_in_the_graph():
    assert GRAPH.frames.tolist() == [PAUSE, 0, 1, 2, 3, 4, PAUSE, 5, 6, 7, 8, 9, PAUSE]
    assert GRAPH.words.tolist() == [0] * 6 + [1] * 6 + [2]


def test_silence_at_a_words_end_in_the_reference_is_no_part_of_the_word():
    is_speech = np.array([True] * 3 + [False] * 2 + [True] * 5)
    graph = build_graph(WORDS, is_speech, FRAME_MS)
    assert graph.frames.tolist() == [PAUSE, 0, 1, 2, PAUSE, 5, 6, 7, 8, 9, PAUSE]


@pytest.mark.parametrize(
    "heard",
    [
        list(range(10)),
        [PAUSE, PAUSE, *range(10), PAUSE],
        [*range(5), *[PAUSE] * 30, *range(5, 10)],
        [0, 0, 1, 2, 2, 3, 4, 5, 6, 6, 7, 8, 9],
        [0, 2, 4, 5, 7, 9],
        [0, 3, 6, 9],
    ],
    ids=["the same", "silence around", "a long pause", "slower", "faster", "three times as fast"],
)
def test_what_is_heard_is_found(heard):
    assert way(heard) == heard


def test_a_silence_inside_a_word_does_not_break_it_in_two():
    found = way([0, 1, PAUSE, PAUSE, 2, 3, 4, *range(5, 10)])
    assert found is not None
    first_word = [index for index, frame in enumerate(found) if frame in range(5)]
    assert first_word == list(range(first_word[0], first_word[-1] + 1))


def test_audio_too_short_for_the_words_leads_nowhere():
    assert way([0, 9]) is None


def test_a_band_never_loses_both_ends():
    band = band_around(np.array([0, 3, 6, 12]), 1, 13)
    assert band.first.tolist() == [0, 2, 5, 11]
    assert band.last.tolist() == [2, 5, 8, 13]
