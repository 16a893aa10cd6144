"""Bands across a page: stretches over which the same gutters persist, and what lies between."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from statistics import median
from typing import Final

from compute_worker.documents.pdf.pieces import (
    Band,
    Column,
    Interval,
    Piece,
    columns_of,
    common_gaps,
    is_marker_column,
    is_prose,
    without,
)

_LEAST_GUTTER: Final = 0.75  # of the size of the text beside it
_LOOK_DOWN: Final = 16  # pieces


def bands_of(pieces: list[Piece], *, is_rtl: bool) -> list[Band]:
    """From the top: stretches over which the same gutters persist, and what lies between."""
    ordered = sorted(pieces, key=lambda piece: (piece.middle, piece.left))
    left, right = min(piece.left for piece in pieces), max(piece.right for piece in pieces)
    columned: list[tuple[int, int, list[Interval]]] = []
    start = 0

    @cache
    def band_from(place: int) -> tuple[int, list[Interval]]:
        return _longest_band(ordered, place, left, right)

    while start < len(ordered):
        end, gutters = band_from(start)
        if gutters and _is_weak(ordered[start:end], gutters):
            later = (band_from(place) for place in range(start + 1, min(end, start + _LOOK_DOWN)))
            if any(found and longer > end for longer, found in later):
                gutters = []  # an accident at the edge of real columns
        if gutters:
            start, end, gutters = _without_text_above(ordered, start, (end, gutters), band_from)
            first = start
            floor = columned[-1][1] if columned else 0
            while first > floor and _fits_above(ordered, first, gutters):
                first -= 1
            first = _without_lead(ordered, first, end, gutters, is_rtl=is_rtl)
            columned.append((first, end, gutters))
            start = end
        else:
            start += 1
    bands: list[Band] = []
    place = 0
    for first, end, gutters in columned:
        if first > place:
            bands.append(Band(ordered[place:first], []))
        bands.append(Band(ordered[first:end], gutters))
        place = end
    if place < len(ordered):
        bands.append(Band(ordered[place:], []))
    return bands


def _longest_band(ordered: list[Piece], start: int, left: float, right: float) -> tuple[int, list[Interval]]:
    """How far gutters hold that have text on both sides; none where the text is no columns."""
    free: list[Interval] = [(left, right)]
    best: tuple[int, list[Interval]] = (start + 1, [])
    for number in range(start, len(ordered)):
        piece = ordered[number]
        free = without(free, piece.left, piece.right, _LEAST_GUTTER * min(piece.size, 14.0))
        if not free:
            break
        inner = [gap for gap in free if gap[0] > left + 1 and gap[1] < right - 1]
        if inner:
            best = (number + 1, inner)
        elif best[1]:
            break
    end, gutters = best
    members = ordered[start:end]
    solid = [gap for gap in gutters if _holds(members, gap)]
    return (end, solid) if solid else (start + 1, [])


def _without_text_above(
    ordered: list[Piece],
    start: int,
    band: tuple[int, list[Interval]],
    band_from: Callable[[int], tuple[int, list[Interval]]],
) -> tuple[int, int, list[Interval]]:
    """Lines that have nothing beside them are text above a table if there are more columns without them."""
    end, gutters = band
    edge = min(right for _, right in gutters)
    place = next((number for number in range(start, end) if ordered[number].left >= edge - 0.1), start)
    while place > start and ordered[place - 1].middle > ordered[place].top:
        place -= 1
    if place > start:
        later, others = band_from(place)
        if later >= end and len(others) > len(gutters):
            return place, later, others
    return start, end, gutters


def _is_sign(piece: Piece) -> bool:
    """A bullet or a bracket alone on its line is no column's."""
    return len(piece.words) == 1 and len(piece.words[0].text) == 1 and not piece.words[0].text.isalnum()


def _is_weak(members: list[Piece], gutters: list[Interval]) -> bool:
    """Whether a gutter has but a line or two on one of its sides."""
    return any(
        min(
            sum(1 for piece in members if piece.right <= start + 0.1),
            sum(1 for piece in members if piece.left >= end - 0.1),
        )
        < 3
        for start, end in gutters
    )


def _holds(members: list[Piece], gap: Interval) -> bool:
    """Whether a gap is one of the page and not of a few lines: the fewer lines, the wider it must be, unless
    these begin below each other."""
    before = [piece for piece in members if piece.right <= gap[0] + 0.1 and not _is_sign(piece)]
    after = [piece for piece in members if piece.left >= gap[1] - 0.1]
    lines = min(len(before), len(after))
    if lines == 0:
        return False
    top = max(min(piece.top for piece in before), min(piece.top for piece in after))
    bottom = min(max(piece.bottom for piece in before), max(piece.bottom for piece in after))
    size = median(piece.size for piece in members)
    if bottom - top < 0.5 * size:
        return False
    width = gap[1] - gap[0]
    if lines < 6:
        near = Counter([round(piece.left) for piece in after if piece.left < gap[1] + 2 * size])
        is_aligned = max(near.values()) >= 3
        needed = 2.0 if lines < 3 else 1.0 if is_aligned else 1.2
    else:
        needed = 0.75
    return width >= needed * size


def _fits_above(ordered: list[Piece], first: int, gutters: list[Interval]) -> bool:
    """Whether the piece above a band leaves its gutters free and belongs to its lines."""
    piece, below = ordered[first - 1], ordered[first:]
    if any(piece.left < end and piece.right > start for start, end in gutters):
        return False
    inner = [(start, end) for start, end in gutters]
    side = sum(1 for start, _ in inner if piece.left >= start)
    same = [other for other in below[:40] if sum(1 for start, _ in inner if other.left >= start) == side]
    return bool(same) and same[0].top - piece.bottom < 1.2 * piece.size and same[0].size > 0.7 * piece.size


def _without_lead(
    ordered: list[Piece], first: int, end: int, gutters: list[Interval], *, is_rtl: bool
) -> int:
    """Lines of the column that is read first belong to what is above when a wide space parts them from
    the rest: the end of a paragraph above a figure."""
    edge = max(end for _, end in gutters) if is_rtl else min(start for start, _ in gutters)
    for place in range(first, end - 1):
        piece, below = ordered[place], ordered[place + 1]
        if (piece.left < edge) if is_rtl else (piece.right > edge):
            return first
        if below.top - piece.bottom > 1.3 * piece.size:
            return place + 1
    return first


def merged(bands: Sequence[Band]) -> list[Band]:
    """Rows of one table, whose gutters are too narrow in some of them to be gutters of the page."""
    merged: list[Band] = []
    for band in bands:
        before = merged[-1] if merged else None
        gaps = _gaps_of_both(before, band) if before and before.gutters and band.gutters else []
        if before is not None and gaps:
            merged[-1] = Band(before.pieces + band.pieces, gaps)
        else:
            merged.append(band)
    return merged


def _gaps_of_both(before: Band, band: Band) -> list[Interval]:
    space = min(piece.top for piece in band.pieces) - max(piece.bottom for piece in before.pieces)
    both = before.pieces + band.pieces
    if any(piece.table for piece in both) or space > max(piece.size for piece in both):
        return []
    if any(is_prose([Column(column) for column in columns_of(part)]) for part in (before, band)):
        return []
    gaps = common_gaps(both)
    if any(is_marker_column(Column(column)) for column in columns_of(Band(both, gaps))[:-1]):
        return []
    return gaps if len(gaps) >= max(len(before.gutters), len(band.gutters)) else []
