"""How far ahead generation goes."""

import pytest

from compute_worker.playback.model import Cursor, Extent, Plan, PlanSection, Segment
from compute_worker.playback.window import wanted, window


def plan_of(*section_sizes: int, characters: int = 100) -> Plan:
    segments, sections = [], []
    for section, size in enumerate(section_sizes):
        sections.append(PlanSection(section, "", len(segments), size, size * characters))
        for index in range(size):
            segments.append(
                Segment(
                    len(segments),
                    section,
                    f"{section}-{index}",
                    0,
                    characters,
                    0,
                    1,
                    8,
                    "x" * characters,
                    "en",
                )
            )
    return Plan("plan", "reading/x/1/", "en", tuple(sections), tuple(segments))


def unknown(ordinal: int) -> None:
    return None


def test_a_window_holds_thirty_seconds():
    assert len(window(plan_of(100), 10, lambda _: 7_000)) == 5


def test_a_window_of_long_segments_still_holds_three():
    assert len(window(plan_of(100), 10, lambda _: 60_000)) == 3


def test_a_window_of_short_segments_holds_at_most_eight():
    assert len(window(plan_of(100), 10, lambda _: 1_000)) == 8


def test_speech_that_does_not_exist_yet_is_estimated_from_its_text():
    assert len(window(plan_of(100, characters=100), 0, unknown)) == 5  # 6.5 s each


def test_a_window_ends_with_the_document():
    assert window(plan_of(5), 3, unknown) == range(3, 5)


@pytest.mark.parametrize(
    ("playing", "age_seconds", "extent", "stop"),
    [
        (True, 0, Extent.SECTION, 7),
        (False, 0, Extent.SECTION, 7),
        (True, 16, Extent.SECTION, 20),
        (True, 16, Extent.DOCUMENT, 50),
        (False, 16, Extent.DOCUMENT, 7),  # who paused and left gets no more
    ],
)
def test_a_listener_who_left_while_playing_gets_the_extent(playing, age_seconds, extent, stop):
    cursor = Cursor(2, playing, at=1000.0)
    needed = wanted(plan_of(20, 30), cursor, 1000.0 + age_seconds, extent, unknown)
    assert (needed[0], needed[-1] + 1) == (2, stop)


def test_the_window_reaches_past_a_section_that_is_nearly_over():
    cursor = Cursor(19, True, at=0.0)
    assert wanted(plan_of(20, 30), cursor, 100.0, Extent.SECTION, unknown)[-1] + 1 == 24
