from itertools import pairwise

import numpy as np
import pytest

from compute_worker.audio.activity import Activity
from compute_worker.speech.model import WordTime
from compute_worker.speech.words import are_plausible, proportional_times, spoken_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello there, Mr. Smith!", ["Hello", "there", "Mr", "Smith"]),
        ("don’t can't well-known", ["don’t", "can't", "well", "known"]),
        ("costs $3.50, 42% or 1,234 €", ["costs", "$3.50", "42%", "or", "1,234", "€"]),
        ("“Naïve” — café…", ["Naïve", "café"]),
        ("AT&T a & b", ["AT", "&", "T", "a", "&", "b"]),
        ("2 + 2 = 4", ["2", "+", "2", "=", "4"]),
        ("今天天气很好。", ["今", "天", "天", "气", "很", "好"]),
        ("カタカナです", ["カタカナ", "で", "す"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("…!? — ()", []),
        ("", []),
    ],
)
def test_words_are_what_is_said(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in spoken_words(text)] == words


@pytest.mark.parametrize("text", ["$", "$ 5 $$ #", "5 %", "### 1", "a$", "\U0001f600 x\u0301 \u200d"])
def test_odd_signs_never_make_ranges_that_are_empty_or_overlap(text: str) -> None:
    ranges = spoken_words(text)
    assert all(start < end <= len(text) for start, end in ranges)
    assert all(left[1] <= right[0] for left, right in pairwise(ranges))


def speaking(*spans: tuple[int, int], total_ms: int = 3000) -> Activity:
    flags = np.zeros(total_ms // 5, dtype=np.bool_)
    for start, end in spans:
        flags[start // 5 : end // 5] = True
    return Activity(flags)


def test_proportional_times_cover_the_speech_in_order() -> None:
    text = "A considerably longer beginning, then 3 ends."
    times = proportional_times(text, speaking((100, 2900)))
    assert [text[time.char_start : time.char_end] for time in times] == text.replace(",", "").strip(
        "."
    ).split()
    assert times[0].start_ms == 100
    assert times[-1].end_ms == pytest.approx(2900, abs=10)
    assert all(left.start_ms < right.start_ms for left, right in pairwise(times))
    assert times[1].end_ms - times[1].start_ms > 2 * (times[0].end_ms - times[0].start_ms)


def test_nobody_speaks_in_a_pause() -> None:
    times = proportional_times("one, two three four", speaking((0, 700), (1500, 3000)))
    assert times[0].end_ms == 700, "a boundary near a pause is put into it"
    assert times[1].start_ms == 1500
    assert times[3].end_ms == 3000


def test_a_pause_far_from_any_boundary_stays_within_a_word() -> None:
    times = proportional_times("incomprehensibilities go", speaking((0, 800), (1000, 3000)))
    assert times[0].start_ms == 0
    assert times[0].end_ms > 2000


def test_provider_times_are_believed_only_when_they_make_sense() -> None:
    text = "one two three"
    good = [WordTime(0, 300, 0, 3), WordTime(300, 600, 4, 7), WordTime(600, 1000, 8, 13)]
    assert are_plausible(good, text, 1000)
    assert not are_plausible([], text, 1000)
    assert not are_plausible(good[:1], text, 1000), "most words are missing"
    assert not are_plausible([good[1], good[0], good[2]], text, 1000), "out of order"
    assert not are_plausible(good, text, 5000), "crammed into the beginning"
    assert not are_plausible(good, text, 500), "beyond the end"
    assert not are_plausible([*good[:2], WordTime(600, 1000, 8, 14)], text, 1000), "beyond the text"
