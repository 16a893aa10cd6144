"""Where a reader's place is after another parser has cut the file into other blocks. No I/O."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app_server.library.model import Position

# Characters from the place on by which it is found again: first many, which hardly stand twice, then few.
_TRACES: Final = (80, 32)
# A shorter trace would be found anywhere.
_LEAST_TRACE: Final = 12


@dataclass(frozen=True)
class TextBlock:
    id: str
    text: str


@dataclass(frozen=True)
class Spot:
    block_id: str
    offset: int


@dataclass(frozen=True)
class Trace:
    """What stands at a place, and how many characters of its section lie before it."""

    text: str
    offset: int
    characters_before: int


def trace_of(blocks: Sequence[TextBlock], position: Position) -> Trace | None:
    """None where the place is in none of the blocks."""
    before = 0
    for block in blocks:
        if block.id == position.block_id:
            offset = min(position.offset, len(block.text))
            return Trace(block.text, offset, before + offset)
        before += len(block.text)
    return None


def found_again(trace: Trace, blocks: Sequence[TextBlock], *, characters_before: int) -> Spot | None:
    """The place in a section whose text is nearest to so many characters from its start."""
    for candidates in (_same_blocks(trace, blocks), *(_with_trace(trace, blocks, size) for size in _TRACES)):
        spots = list(candidates)
        if spots:
            return min(spots, key=lambda spot: abs(spot[0] - characters_before))[1]
    return None


def nearest(blocks: Sequence[TextBlock], characters_before: int) -> Spot | None:
    """The block that holds a character of the section; None for a section without text."""
    before, found = 0, None
    for block in blocks:
        if found is not None and before > characters_before:
            break
        found = Spot(block.id, 0)
        before += len(block.text)
    return found


def moved(position: Position, spot: Spot) -> Position:
    section = int(spot.block_id.partition("-")[0])
    # The plan is another one, too; the ordinal follows from the place.
    return replace(position, block_id=spot.block_id, offset=spot.offset, section=section, segment_ordinal=0)


def by_distance(section_characters: Sequence[int], characters_before: int) -> list[tuple[int, int]]:
    """Each section with how many characters from its start the place is expected, the likeliest first."""
    found, start = [], 0
    for index, characters in enumerate(section_characters):
        inside = characters_before - start
        away = max(-inside, inside - characters, 0)
        found.append((away, index, inside))
        start += characters
    return [(index, inside) for _, index, inside in sorted(found)]


def _same_blocks(trace: Trace, blocks: Sequence[TextBlock]) -> Iterator[tuple[int, Spot]]:
    before = 0
    for block in blocks:
        if block.text == trace.text:
            yield before + trace.offset, Spot(block.id, trace.offset)
        before += len(block.text)


def _with_trace(trace: Trace, blocks: Sequence[TextBlock], size: int) -> Iterator[tuple[int, Spot]]:
    wanted = trace.text[trace.offset : trace.offset + size].strip()
    if len(wanted) < _LEAST_TRACE:
        return
    before = 0
    for block in blocks:
        at = block.text.find(wanted)
        while at >= 0:
            yield before + at, Spot(block.id, at)
            at = block.text.find(wanted, at + 1)
        before += len(block.text)
