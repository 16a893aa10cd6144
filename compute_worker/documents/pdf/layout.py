"""Cuts a page into regions in reading order: bands across it, columns within these, again and again
(a recursive XY-cut whose vertical cuts are the gutters that persist over several lines)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Final

from compute_worker.documents.pdf.lines import is_right_to_left, line_of, pieces_of, rows_of
from compute_worker.documents.pdf.model import LayoutKind, Region, Word

_MOST_DEPTH: Final = 8
_LEAST_GUTTER: Final = 0.75  # of the size of the text beside it
_NARROW: Final = 5.0  # sizes: what is narrower is no column but bullets, numbers or a margin
_LOOK_DOWN: Final = 16  # pieces
_PROSE_WORDS: Final = 3.2
_Interval = tuple[float, float]


@dataclass(slots=True)
class _Piece:
    """Words of one line between wide gaps."""

    words: list[Word]
    left: float
    right: float
    top: float
    bottom: float
    size: float

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


@dataclass(slots=True)
class _Band:
    pieces: list[_Piece]
    gutters: list[_Interval]


def regions_of(words: Sequence[Word], page: int) -> list[Region]:
    """The regions of a page in the order in which they are read."""
    pieces = [
        _Piece(
            piece,
            piece[0].left,
            max([word.right for word in piece]),
            min([word.top for word in piece]),
            max([word.bottom for word in piece]),
            max([word.font.size for word in piece]),
        )
        for row in rows_of(words)
        for piece in pieces_of(row)
    ]
    is_rtl = is_right_to_left("".join(word.text for word in words))
    return _Cutter(page=page, is_rtl=is_rtl).cut(pieces, 0)


class _Cutter:
    def __init__(self, *, page: int, is_rtl: bool) -> None:
        self._page = page
        self._is_rtl = is_rtl

    def cut(self, pieces: list[_Piece], depth: int) -> list[Region]:
        if not pieces:
            return []
        if depth >= _MOST_DEPTH or len(pieces) < 2:
            return [self._region(pieces)]
        bands = _bands(pieces, is_rtl=self._is_rtl)
        if len(bands) == 1 and not bands[0].gutters:
            return [self._region(pieces)]
        regions: list[Region] = []
        text: list[_Piece] = []  # what goes on over bands without columns

        def end_text() -> None:
            if text:
                regions.append(self._region(text))
                text.clear()

        for band in bands:
            columns = _columns(band)
            if _is_prose(columns):
                end_text()
                for column in reversed(columns) if self._is_rtl else columns:
                    regions += self.cut(column, depth + 1)
                continue
            lead, rows, rest = _table_rows(band)
            text += lead
            if rows:
                end_text()
                regions.append(self._table(rows))
            text += rest
        end_text()
        return regions

    def _region(self, pieces: list[_Piece]) -> Region:
        lines = [
            line_of(row, self._page) for row in rows_of(word for piece in pieces for word in piece.words)
        ]
        return Region(lines, min(piece.left for piece in pieces), max(piece.right for piece in pieces))

    def _table(self, pieces: list[_Piece]) -> Region:
        columns = _columns(_Band(pieces, _common_gaps(pieces)))
        edges = [min(piece.left for piece in column) for column in columns]
        region = self._region(pieces)
        region.kind = LayoutKind.TABLE
        for words in rows_of(word for piece in pieces for word in piece.words):
            cells: dict[int, list[Word]] = {}
            for word in words:
                number = max((n for n, edge in enumerate(edges) if word.left >= edge - 0.5), default=0)
                cells.setdefault(number, []).append(word)
            ordered = sorted(cells, reverse=self._is_rtl)
            region.rows.append([[line_of(cells[number], self._page)] for number in ordered])
        return region


def _table_rows(band: _Band) -> tuple[list[_Piece], list[_Piece], list[_Piece]]:
    """A table has at least three rows, or two of three cells, with more than one cell. What stands above
    and below such rows is text."""
    if not band.gutters or _is_mono(band.pieces):
        return band.pieces, [], []
    by_word = {id(word): piece for piece in band.pieces for word in piece.words}
    rows = [
        list({id(by_word[id(word)]): by_word[id(word)] for word in words}.values())
        for words in rows_of(word for piece in band.pieces for word in piece.words)
    ]
    wide = [number for number, row in enumerate(rows) if len(row) > 1]
    columns = _columns(band)
    is_list = len(columns) == 2 and _is_marker_column(columns[0])
    is_table = len(wide) >= 3 or (len(wide) >= 2 and max(len(rows[number]) for number in wide) >= 3)
    if is_list or not is_table:
        return band.pieces, [], []
    first, last = wide[0], wide[-1]
    flat = [
        [piece for row in part for piece in row]
        for part in (rows[:first], rows[first : last + 1], rows[last + 1 :])
    ]
    return flat[0], flat[1], flat[2]


def _common_gaps(pieces: list[_Piece]) -> list[_Interval]:
    left, right = min(piece.left for piece in pieces), max(piece.right for piece in pieces)
    free: list[_Interval] = [(left, right)]
    for piece in pieces:
        free = _without(free, piece.left, piece.right, 0.4 * min(piece.size, 14.0))
    return [gap for gap in free if gap[0] > left + 1 and gap[1] < right - 1]


def _is_marker_column(column: list[_Piece]) -> bool:
    size = median(piece.size for piece in column)
    width = max(piece.right for piece in column) - min(piece.left for piece in column)
    short = sum(1 for piece in column if len("".join(word.text for word in piece.words)) <= 5)
    return short >= 0.7 * len(column) and width < _NARROW * size


def _is_mono(pieces: list[_Piece]) -> bool:
    letters = sum(len(word.text) for piece in pieces for word in piece.words)
    mono = sum(len(word.text) for piece in pieces for word in piece.words if word.font.is_mono)
    return mono > 0.7 * letters


def _bands(pieces: list[_Piece], *, is_rtl: bool) -> list[_Band]:
    """From the top: stretches over which the same gutters persist, and what lies between."""
    ordered = sorted(pieces, key=lambda piece: (piece.middle, piece.left))
    left, right = min(piece.left for piece in pieces), max(piece.right for piece in pieces)
    columned: list[tuple[int, int, list[_Interval]]] = []
    start = 0

    @cache
    def band_from(place: int) -> tuple[int, list[_Interval]]:
        return _longest_band(ordered, place, left, right)

    while start < len(ordered):
        end, gutters = band_from(start)
        if gutters and _is_weak(ordered[start:end], gutters):
            later = (band_from(place) for place in range(start + 1, min(end, start + _LOOK_DOWN)))
            if any(found and longer > end for longer, found in later):
                gutters = []  # an accident at the edge of real columns
        if gutters:
            first = start
            floor = columned[-1][1] if columned else 0
            while first > floor and _fits_above(ordered, first, gutters):
                first -= 1
            first = _without_lead(ordered, first, end, gutters, is_rtl=is_rtl)
            columned.append((first, end, gutters))
            start = end
        else:
            start += 1
    bands: list[_Band] = []
    place = 0
    for first, end, gutters in columned:
        if first > place:
            bands.append(_Band(ordered[place:first], []))
        bands.append(_Band(ordered[first:end], gutters))
        place = end
    if place < len(ordered):
        bands.append(_Band(ordered[place:], []))
    return bands


def _longest_band(
    ordered: list[_Piece], start: int, left: float, right: float
) -> tuple[int, list[_Interval]]:
    """How far gutters hold that have text on both sides; none where the text is no columns."""
    free: list[_Interval] = [(left, right)]
    best: tuple[int, list[_Interval]] = (start + 1, [])
    for number in range(start, len(ordered)):
        piece = ordered[number]
        free = _without(free, piece.left, piece.right, _LEAST_GUTTER * min(piece.size, 14.0))
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


def _is_weak(members: list[_Piece], gutters: list[_Interval]) -> bool:
    """Whether a gutter has but a line or two on one of its sides."""
    return any(
        min(
            sum(1 for piece in members if piece.right <= start + 0.1),
            sum(1 for piece in members if piece.left >= end - 0.1),
        )
        < 3
        for start, end in gutters
    )


def _without(free: list[_Interval], left: float, right: float, least: float) -> list[_Interval]:
    kept: list[_Interval] = []
    for start, end in free:
        if right <= start or left >= end:
            kept.append((start, end))
            continue
        if left - start >= least:
            kept.append((start, left))
        if end - right >= least:
            kept.append((right, end))
    return kept


def _holds(members: list[_Piece], gap: _Interval) -> bool:
    """Whether a gap is one of the page and not of a few lines: the fewer lines, the wider it must be."""
    before = [piece for piece in members if piece.right <= gap[0] + 0.1]
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
    needed = 0.75 if lines >= 6 else 1.2 if lines >= 3 else 2.0
    return width >= needed * size


def _fits_above(ordered: list[_Piece], first: int, gutters: list[_Interval]) -> bool:
    """Whether the piece above a band leaves its gutters free and belongs to its lines."""
    piece, below = ordered[first - 1], ordered[first:]
    if any(piece.left < end and piece.right > start for start, end in gutters):
        return False
    inner = [(start, end) for start, end in gutters]
    side = sum(1 for start, _ in inner if piece.left >= start)
    same = [other for other in below[:40] if sum(1 for start, _ in inner if other.left >= start) == side]
    return bool(same) and same[0].top - piece.bottom < 1.2 * piece.size and same[0].size > 0.7 * piece.size


def _without_lead(
    ordered: list[_Piece], first: int, end: int, gutters: list[_Interval], *, is_rtl: bool
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


def _columns(band: _Band) -> list[list[_Piece]]:
    """Narrow ones join what is right of them."""
    edges = [(start + end) / 2 for start, end in sorted(band.gutters)]
    columns: list[list[_Piece]] = [[] for _ in range(len(edges) + 1)]
    for piece in band.pieces:
        columns[sum(1 for edge in edges if piece.left >= edge)].append(piece)
    return [column for column in columns if column]


def _is_prose(columns: list[list[_Piece]]) -> bool:
    """Columns of text, not of a table: their lines are long and fill them."""
    if len(columns) < 2:
        return False
    widths = []
    for column in columns:
        left, right = min(piece.left for piece in column), max(piece.right for piece in column)
        rows = rows_of(word for piece in column for word in piece.words)
        size = median(piece.size for piece in column)
        words = sum(map(len, rows)) / len(rows)
        letters = sum(len(word.text) for row in rows for word in row) / len(rows)
        fill = sum(row[-1].right - row[0].left for row in rows) / len(rows) / max(right - left, 1.0)
        if right - left < _NARROW * size or (words < _PROSE_WORDS and letters < 16) or fill < 0.45:
            widths.append(False)
        else:
            widths.append(True)
    return (sum(widths) >= 2 and all(widths)) or (
        sum(widths) >= 2 and len(columns) > 2 and sum(widths) * 2 > len(columns)
    )
