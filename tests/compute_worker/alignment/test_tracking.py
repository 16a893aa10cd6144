"""Following a recording through a text, on made-up features where the right way is known by construction."""

import numpy as np
import pytest

from compute_worker.alignment.outline import STEP_SAMPLES, STEP_SECONDS, WIDTH, Outline, outline
from compute_worker.alignment.tracking import NOWHERE, Tracker

BLOCK = 600


class Text:
    """A reference whose steps are random; a step of the same index sounds the same up to noise."""

    def __init__(self, steps: int, seed: int = 1) -> None:
        self.features = sounds(steps, seed)
        self.furthest = 0

    def rows(self, first: int, last: int) -> np.ndarray:
        self.furthest = max(self.furthest, last)
        return self.features[first:last]

    def heard(self, first: int, last: int, *, pace: float = 1.0, noise: float = 0.6) -> np.ndarray:
        steps = np.arange(first, last, pace).astype(int)
        said = self.features[steps]
        return said + noise * sounds(len(said), seed=first + 7)


def sounds(steps: int, seed: int) -> np.ndarray:
    """Unrelated ones lie about 1 apart."""
    return np.random.default_rng(seed).normal(0, np.sqrt(0.5 / WIDTH), (steps, WIDTH)).astype(np.float32)


def track(text: Text, *pieces: np.ndarray, is_speech: bool = True) -> np.ndarray:
    features = np.concatenate(pieces)
    tracker = Tracker(reference=text)
    places = []
    for start in range(0, len(features), BLOCK):
        block = features[start : start + BLOCK]
        places.append(tracker.feed(Outline(block, np.full(len(block), is_speech))))
    return np.concatenate((*places, tracker.finish()))


def share_right(places: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.mean(np.abs(places - wanted) <= 2))


@pytest.mark.parametrize("pace", [0.7, 1.0, 1.4])
def test_speech_at_another_pace_is_followed(pace: float):
    text = Text(3000)
    heard = text.heard(0, 3000, pace=pace)
    places = track(text, heard)
    assert len(places) == len(heard)
    assert share_right(places, np.arange(0, 3000, pace)) > 0.9


def test_what_is_not_in_the_text_is_nowhere():
    text = Text(3000)
    places = track(text, sounds(400, 2), text.heard(0, 1500), sounds(700, 3), text.heard(1500, 3000))
    assert np.mean(places[:380] == NOWHERE) > 0.7
    assert np.mean(places[1920:2580] == NOWHERE) > 0.7
    assert share_right(places[2620:], np.arange(1520, 3000)) > 0.9


def test_text_that_is_not_read_is_passed_over():
    text = Text(9000)
    places = track(text, text.heard(5000, 6500), text.heard(7500, 9000))
    wanted = np.concatenate((np.arange(5000, 6500), np.arange(7500, 9000)))
    assert share_right(places, wanted) > 0.9


def test_places_never_go_back_and_the_reference_is_made_no_further_than_needed():
    text = Text(60_000)
    places = track(text, text.heard(0, 4000))
    found = places[places != NOWHERE]
    assert np.all(np.diff(found) >= 0)
    assert text.furthest < 4000 + 1000 / STEP_SECONDS


def test_silence_is_no_speech():
    heard = outline(np.zeros(100 * STEP_SAMPLES, dtype=np.float32))
    assert not heard.is_speech.any()
    assert heard.features.shape == (100, WIDTH)


@pytest.mark.parametrize("samples", [0, 1, STEP_SAMPLES, 5 * STEP_SAMPLES])
def test_hardly_any_sound_still_has_an_outline(samples: int):
    assert len(outline(np.ones(samples, dtype=np.float32)).features) == samples // STEP_SAMPLES
