"""A place in a text that has been cut into other blocks."""

import pytest

from app_server.library.model import Position
from app_server.library.moved_places import (
    Spot,
    TextBlock,
    by_distance,
    found_again,
    moved,
    nearest,
    trace_of,
)

OLD = (
    "Chapter 1",
    "It was the best of times, it was the worst of times, it was the age of wisdom.",
    "The end.",
)


def blocks(*texts: str) -> list[TextBlock]:
    return [TextBlock(f"0-{number}", text) for number, text in enumerate(texts)]


def at(block_id: str, offset: int) -> Position:
    return Position(7, block_id, offset, 0, 0.4, 1)


@pytest.mark.parametrize(
    ("new", "spot"),
    [
        (OLD, Spot("0-1", 26)),
        (("A header", *OLD), Spot("0-2", 26)),
        ((" ".join(OLD),), Spot("0-0", len("Chapter 1 ") + 26)),
        (("Chapter 1", OLD[1][:26], OLD[1][26:]), Spot("0-2", 0)),
        # What follows the place was cut somewhere else, and changed.
        (("Chapter 1", OLD[1][:60] + "…", "The end."), Spot("0-1", 26)),
    ],
)
def test_the_place_is_found_by_what_stands_there(new: tuple[str, ...], spot: Spot) -> None:
    trace = trace_of(blocks(*OLD), at("0-1", 26))
    assert trace is not None
    assert trace.characters_before == len("Chapter 1") + 26
    assert found_again(trace, blocks(*new), characters_before=trace.characters_before) == spot


def test_of_many_equal_places_the_nearest_is_taken() -> None:
    refrain = "And the band played on until the morning came."
    verses = [text for number in range(4) for text in (f"Verse {number}.", refrain)]
    trace = trace_of(blocks(*verses), at("0-5", 4))
    assert trace is not None
    found = found_again(trace, blocks("A title", *verses), characters_before=trace.characters_before)
    assert found == Spot("0-6", 4)


def test_what_stands_nowhere_is_not_found() -> None:
    trace = trace_of(blocks(*OLD), at("0-1", 26))
    assert trace is not None
    assert found_again(trace, blocks("Something else entirely, and longer."), characters_before=0) is None
    assert trace_of(blocks(*OLD), at("5-5", 0)) is None


def test_without_a_trace_the_share_of_the_text_tells() -> None:
    assert by_distance([100, 100, 100], 150) == [(1, 50), (0, 150), (2, -50)]
    assert nearest(blocks("a" * 30, "b" * 30, "c" * 30), 50) == Spot("0-1", 0)
    assert nearest([], 50) is None


def test_a_moved_place_keeps_how_far_it_is_and_when_it_was() -> None:
    assert moved(at("0-1", 26), Spot("3-2", 9)) == Position(0, "3-2", 9, 3, 0.4, 1)
