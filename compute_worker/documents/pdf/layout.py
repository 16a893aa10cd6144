"""Cuts a page into regions in reading order: bands across it, columns within these, again and again
(a recursive XY-cut whose vertical cuts are the gutters that persist over several lines)."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, takewhile
from statistics import median
from typing import Final

from compute_worker.documents.pdf.grids import Rule, across_of, down_of, take_grids
from compute_worker.documents.pdf.lines import is_right_to_left, line_of, pieces_of, rows_of
from compute_worker.documents.pdf.model import Box, LayoutKind, Region, Word
from compute_worker.documents.pdf.paragraphs import LONE_BULLET
from compute_worker.documents.pdf.table_rows import RowFinder, TableRow, begins_together, restarts_together

_MOST_DEPTH: Final = 8
_LEAST_GUTTER: Final = 0.75  # of the size of the text beside it
_NARROW: Final = 5.0  # sizes: what is narrower is no column but bullets, numbers or a margin
_LOOK_DOWN: Final = 16  # pieces
_PROSE_WORDS: Final = 3.2
_LEAST_ACROSS: Final = 0.9  # of a table's width, of the lines between its rows
_MOST_LINES_IN_ROW: Final = 14  # on average
_LINES_OF_FORM: Final = 30  # that run across, and are no table's
_LEAST_DOWN: Final = 0.6  # of a form's section, of the sides of its boxes
_MOST_LEVEL: Final = 0.6  # of the lines in a box, with lines in the one beside it
_LEAST_BOX: Final = 40.0  # points
_HEAD_SPACE: Final = 0.35  # of the size, at least, between the names of columns
_WORD: Final = re.compile("(?![ivxlcIVXLC]+$)[A-Za-z]{3,}")
_Interval = tuple[float, float]


@dataclass(slots=True)
class _Piece:
    """Words of one line between wide gaps, or a table that is known already."""

    words: list[Word]
    left: float
    right: float
    top: float
    bottom: float
    size: float
    table: Region | None = None

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


def _boxes(section: list[_Piece], down: Sequence[Rule]) -> list[list[_Piece]]:
    """Of a form's section: what lines part that run down most of it, between what is above and below them."""
    top, bottom = min(piece.top for piece in section), max(piece.bottom for piece in section)
    sides = [
        side for side in down if min(side[2], bottom) - max(side[1], top) >= _LEAST_DOWN * (bottom - top)
    ]
    if bottom - top < _LEAST_BOX or not sides:
        return [section]
    upper, lower = max(start for _, start, _ in sides), min(end for _, _, end in sides)
    inside = [piece for piece in section if upper <= piece.middle <= lower]
    words = [word for piece in inside for word in piece.words]
    edges = [x for x, _, _ in sides if _parts_boxes(words, x)]
    boxes: dict[int, list[_Piece]] = {}
    for piece in inside:
        for number, part in _parted(piece, edges):
            boxes.setdefault(number, []).append(part)
    parts = [
        [piece for piece in section if piece.middle < upper],
        *(boxes[number] for number in sorted(boxes)),
        [piece for piece in section if piece.middle > lower],
    ]
    return [part for part in parts if part]


def _parts_boxes(words: Sequence[Word], x: float) -> bool:
    """Whether no word stands on the line, and what is at its sides is no row of a table."""
    left = {round(word.baseline) for word in words if word.right <= x}
    right = {round(word.baseline) for word in words if word.left >= x}
    if any(word.left < x < word.right for word in words) or not left or not right:
        return False
    fewer, more = (left, right) if len(left) < len(right) else (right, left)
    level = sum(1 for y in fewer if more & {y - 1, y, y + 1})
    return level <= _MOST_LEVEL * len(fewer)


def _parted(piece: _Piece, edges: Sequence[float]) -> list[tuple[int, _Piece]]:
    """By edges that pass between its words; with the number of the box for each part."""
    if piece.table:
        return [(sum(1 for x in edges if x < piece.left + 1), piece)]
    boxes: dict[int, list[Word]] = {}
    for word in piece.words:
        boxes.setdefault(sum(1 for x in edges if x <= word.left), []).append(word)
    return [(number, _piece(words)) for number, words in boxes.items()]


class _Column:
    def __init__(self, pieces: list[_Piece]) -> None:
        self.pieces = pieces
        self.left = min([piece.left for piece in pieces])
        self.right = max([piece.right for piece in pieces])
        self.rows = rows_of(word for piece in pieces for word in piece.words)


@dataclass(slots=True)
class _Band:
    pieces: list[_Piece]
    gutters: list[_Interval]


def regions_of(words: Sequence[Word], page: int, lines: Sequence[Box] = ()) -> list[Region]:
    """The regions of a page in the order in which they are read. lines: drawn ones."""
    tables, words = take_grids(words, lines, page) if lines else ([], words)
    pieces = [_piece(piece) for row in rows_of(words) for piece in pieces_of(row)]
    pieces += [_table_piece(table) for table in tables]
    is_rtl = is_right_to_left("".join([word.text for word in words]))
    across = across_of(lines)
    cutter = _Cutter(page=page, is_rtl=is_rtl, across=across)
    if len(across) < _LINES_OF_FORM:
        return cutter.cut(pieces, 0)
    down = down_of(lines)
    return [
        region
        for section in _sections(pieces, across)
        for box in _boxes(section, down)
        for region in cutter.cut(box, 0)
    ]


def _sections(pieces: Sequence[_Piece], across: Sequence[Rule]) -> list[list[_Piece]]:
    """Of a form: what lines from side to side part."""
    if not pieces:
        return []
    left, right = min(piece.left for piece in pieces), max(piece.right for piece in pieces)
    spare = (1 - _LEAST_ACROSS) * (right - left)
    edges = [y for y, start, end in across if start <= left + spare and end >= right - spare]
    sections: dict[int, list[_Piece]] = {}
    for piece in pieces:
        sections.setdefault(sum(1 for y in edges if y < piece.middle), []).append(piece)
    return [sections[number] for number in sorted(sections)]


def _piece(words: list[Word]) -> _Piece:
    return _Piece(
        words,
        words[0].left,
        max([word.right for word in words]),
        min([word.top for word in words]),
        max([word.bottom for word in words]),
        max([word.font.size for word in words]),
    )


def _table_piece(table: Region) -> _Piece:
    return _Piece(
        [],
        table.left,
        table.right,
        min([line.top for line in table.lines]),
        max([line.bottom for line in table.lines]),
        max([line.font.size for line in table.lines]),
        table,
    )


class _Cutter:
    def __init__(self, *, page: int, is_rtl: bool, across: Sequence[Rule]) -> None:
        self._page = page
        self._is_rtl = is_rtl
        self._across = across

    def cut(self, pieces: list[_Piece], depth: int) -> list[Region]:
        if not pieces:
            return []
        if depth >= _MOST_DEPTH or len(pieces) < 2:
            return self._regions(pieces)
        bands = _merged(_bands(pieces, is_rtl=self._is_rtl))
        if len(bands) == 1 and not bands[0].gutters:
            return self._regions(pieces)
        regions: list[Region] = []
        text: list[_Piece] = []  # what goes on over bands without columns
        for band in bands:
            columns = _with_bullets([_Column(column) for column in _columns(band)])
            parts = self._parts(columns, depth)
            if len(parts) > 1:
                regions += self._regions(text)
                text = []
                for part in parts:
                    regions += self.cut(part, depth + 1)
                continue
            lead, rows, rest = self._table_rows(band, columns)
            text += lead
            if rows:
                head = _head(text, rows)
                regions += self._regions(text)
                text = []
                regions.append(self._table([*head, *rows]))
            text += rest
        return regions + self._regions(text)

    def _parts(self, columns: Sequence[_Column], depth: int) -> list[list[_Piece]]:
        """What is read one after the other: columns of text, or a table and what stands beside it."""
        if len(columns) < 2:
            return [column.pieces for column in columns]
        if _is_prose(columns) and not self._is_table(columns):
            ordered = reversed(columns) if self._is_rtl else columns
            return [column.pieces for column in ordered]
        whole = [piece for column in columns for piece in column.pieces]
        if depth:
            return [whole]
        # Notes in the margin of a form; within it, columns are too many to be told apart like that.
        finder = RowFinder([column.rows for column in columns], self._rules(columns))
        order = [*range(len(columns))][:: -1 if self._is_rtl else 1]
        aside = [*takewhile(finder.stands_aside, order[:-1])]
        rest = [
            piece for number, column in enumerate(columns) if number not in aside for piece in column.pieces
        ]
        return [*(columns[number].pieces for number in aside), rest]

    def _regions(self, pieces: Sequence[_Piece]) -> list[Region]:
        """Text, with the tables that are known already between it."""
        found: list[Region] = []
        rest = list(pieces)
        for piece in sorted((piece for piece in pieces if piece.table), key=lambda piece: piece.top):
            above = [other for other in rest if not other.table and other.middle < piece.top]
            rest = [other for other in rest if other.table or other.middle >= piece.top]
            found += [self._text(above)] if above else []
            found += [piece.table] if piece.table else []
        rest = [piece for piece in rest if not piece.table]
        return [*found, self._text(rest)] if rest else found

    def _text(self, pieces: Sequence[_Piece]) -> Region:
        lines = [
            line_of(row, self._page) for row in rows_of(word for piece in pieces for word in piece.words)
        ]
        return Region(lines, min(piece.left for piece in pieces), max(piece.right for piece in pieces))

    def _is_table(self, columns: Sequence[_Column]) -> bool:
        """Columns whose lines are long and fill them are those of a table where their paragraphs begin side
        by side again and again, however long each is."""
        if any(piece.table for column in columns for piece in column.pieces):
            return False
        finder = RowFinder([column.rows for column in columns], self._rules(columns))
        if not finder.has_wide_rows:
            return False
        rows = finder.rows()
        lines = sum(len(row.strips) for row in rows)
        is_aligned = len(columns) > 2 and all(begins_together(row) for row in rows)
        least = 1 if finder.is_ruled or is_aligned else 2
        return len(rows) > 2 and lines <= _MOST_LINES_IN_ROW * len(rows) and restarts_together(rows) >= least

    def _rules(self, columns: Sequence[_Column]) -> list[float]:
        """How far down lines are drawn over all columns."""
        left, right = min(column.left for column in columns), max(column.right for column in columns)
        spare = (1 - _LEAST_ACROSS) * (right - left)
        return [y for y, start, end in self._across if start <= left + spare and end >= right - spare]

    def _table_rows(
        self, band: _Band, columns: Sequence[_Column]
    ) -> tuple[list[_Piece], list[_Piece], list[_Piece]]:
        """A table has at least three rows, or two of three cells, with more than one cell. What stands above
        and below such rows is text."""
        is_list = len(columns) < 2 or (len(columns) == 2 and _is_marker_column(columns[0]))
        if is_list or _is_mono(band.pieces):
            return band.pieces, [], []
        rows = RowFinder([column.rows for column in columns], self._rules(columns)).rows()
        wide = [number for number, row in enumerate(rows) if len(row.columns) > 1]
        by_word = {id(word): piece for piece in band.pieces for word in piece.words}
        most = [
            len({id(by_word[id(word)]) for line in strip.lines for word in line.words})
            for number in wide
            for strip in rows[number].strips
            if len(strip.columns) > 1
        ]
        if len(most) < 2 or (len(most) == 2 and max(most) < 3):
            return band.pieces, [], []
        first, last = wide[0], wide[-1]
        return (
            _pieces_in(rows[:first], by_word),
            _pieces_in(rows[first : last + 1], by_word),
            _pieces_in(rows[last + 1 :], by_word),
        )

    def _table(self, pieces: list[_Piece]) -> Region:
        columns = [_Column(column) for column in _columns(_Band(pieces, _common_gaps(pieces)))]
        region = self._text(pieces)
        region.kind = LayoutKind.TABLE
        finder = RowFinder([column.rows for column in columns], self._rules(columns))
        for cells in (
            _lines_by_column(columns) if finder.is_tangled else [row.cells() for row in finder.rows()]
        ):
            region.rows.append(
                [
                    [line_of(words, self._page) for words in cells[number]]
                    for number in sorted(cells, reverse=self._is_rtl)
                ]
            )
        region.lines = [line for row in region.rows for cell in row for line in cell]
        return region


def _lines_by_column(columns: Sequence[_Column]) -> list[dict[int, list[list[Word]]]]:
    """Line by line, of what has no cells that could be told apart."""
    owners = {
        id(word): number for number, column in enumerate(columns) for row in column.rows for word in row
    }
    found: list[dict[int, list[list[Word]]]] = []
    for row in rows_of(word for column in columns for line in column.rows for word in line):
        cells: dict[int, list[Word]] = {}
        for word in row:
            cells.setdefault(owners[id(word)], []).append(word)
        found.append({number: [words] for number, words in cells.items()})
    return found


def _pieces_in(rows: Sequence[TableRow], by_word: Mapping[int, _Piece]) -> list[_Piece]:
    found = {
        id(piece): piece
        for row in rows
        for line in row.lines
        for word in line.words
        for piece in [by_word[id(word)]]
    }
    return list(found.values())


def _head(text: list[_Piece], rows: Sequence[_Piece]) -> list[_Piece]:
    """The names of the columns, taken from the text above a table: they may stand so near to each other that
    they look like text."""
    bottom = max((piece.bottom for piece in text), default=0.0)
    line = [piece for piece in text if piece.middle > bottom - 0.7 * piece.size and not piece.table]
    gaps = _common_gaps(list(rows)) if line else []
    if not gaps or min(piece.top for piece in rows) - bottom > line[0].size:
        return []
    if min(piece.left for piece in line) < min(piece.left for piece in rows) - 1:
        return []
    middles = [0.5 * (start + end) for start, end in gaps]
    parts: list[list[Word]] = [[] for _ in range(len(gaps) + 1)]
    for word in sorted((word for piece in line for word in piece.words), key=lambda word: word.left):
        if any(word.left < start and word.right > end for start, end in gaps):
            return []
        parts[sum(1 for middle in middles if word.left + word.right >= 2 * middle)].append(word)
    if not all(parts):
        return []
    spaces = [after[0].left - before[-1].right for before, after in pairwise(parts)]
    within = [after.left - before.right for part in parts for before, after in pairwise(part)]
    if min(spaces) < max(_HEAD_SPACE * line[0].size, 1.4 * median(within or [0.0])):
        return []
    text[:] = [piece for piece in text if not any(piece is other for other in line)]
    return [_piece(part) for part in parts]


def _common_gaps(pieces: list[_Piece]) -> list[_Interval]:
    left, right = min(piece.left for piece in pieces), max(piece.right for piece in pieces)
    free: list[_Interval] = [(left, right)]
    for piece in pieces:
        free = _without(free, piece.left, piece.right, 0.4 * min(piece.size, 14.0))
    return [gap for gap in free if gap[0] > left + 1 and gap[1] < right - 1]


def _with_bullets(columns: Sequence[_Column]) -> list[_Column]:
    """Bullets are no column apart from what they stand before."""
    joined: list[_Column] = []
    for column in columns:
        if joined and all(LONE_BULLET.fullmatch(word.text) for row in joined[-1].rows for word in row):
            joined[-1] = _Column(joined[-1].pieces + column.pieces)
        else:
            joined.append(column)
    return joined


def _is_marker_column(column: _Column) -> bool:
    """Bullets, letters, or numbers that count: other numbers are a column of a table."""
    texts = ["".join([word.text for word in row]) for row in column.rows]
    size = median([piece.size for piece in column.pieces])
    short = sum(1 for text in texts if len(text) <= 5 and not _WORD.fullmatch(text))
    if short < 0.7 * len(texts) or column.right - column.left >= _NARROW * size:
        return False
    numbers = [int(text) for text in texts if text.isdecimal()]
    counting = sum(1 for before, number in pairwise(numbers) if number - before == 1)
    return len(numbers) < 0.7 * len(texts) or counting >= 0.7 * (len(numbers) - 1)


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


def _merged(bands: Sequence[_Band]) -> list[_Band]:
    """Rows of one table, whose gutters are too narrow in some of them to be gutters of the page."""
    merged: list[_Band] = []
    for band in bands:
        before = merged[-1] if merged else None
        gaps = _gaps_of_both(before, band) if before and before.gutters and band.gutters else []
        if before is not None and gaps:
            merged[-1] = _Band(before.pieces + band.pieces, gaps)
        else:
            merged.append(band)
    return merged


def _gaps_of_both(before: _Band, band: _Band) -> list[_Interval]:
    space = min(piece.top for piece in band.pieces) - max(piece.bottom for piece in before.pieces)
    both = before.pieces + band.pieces
    if any(piece.table for piece in both) or space > max(piece.size for piece in both):
        return []
    if any(_is_prose([_Column(column) for column in _columns(part)]) for part in (before, band)):
        return []
    gaps = _common_gaps(both)
    if any(_is_marker_column(_Column(column)) for column in _columns(_Band(both, gaps))[:-1]):
        return []
    return gaps if len(gaps) >= max(len(before.gutters), len(band.gutters)) else []


def _without_text_above(
    ordered: list[_Piece],
    start: int,
    band: tuple[int, list[_Interval]],
    band_from: Callable[[int], tuple[int, list[_Interval]]],
) -> tuple[int, int, list[_Interval]]:
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


def _is_sign(piece: _Piece) -> bool:
    """A bullet or a bracket alone on its line is no column's."""
    return len(piece.words) == 1 and len(piece.words[0].text) == 1 and not piece.words[0].text.isalnum()


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


def _is_prose(columns: Sequence[_Column]) -> bool:
    """Columns of text, not of a table: their lines are long and fill them."""
    if len(columns) < 2:
        return False
    if any(piece.table for column in columns for piece in column.pieces):
        return True  # what stands beside a table is no part of one
    widths = []
    for column in columns:
        rows = column.rows
        width = column.right - column.left
        size = median([piece.size for piece in column.pieces])
        words = sum(map(len, rows)) / len(rows)
        letters = sum([len(word.text) for row in rows for word in row]) / len(rows)
        fill = sum([row[-1].right - row[0].left for row in rows]) / len(rows) / max(width, 1.0)
        widths.append(not (width < _NARROW * size or (words < _PROSE_WORDS and letters < 16) or fill < 0.45))
    return (sum(widths) >= 2 and all(widths)) or (
        sum(widths) >= 2 and len(columns) > 2 and sum(widths) * 2 > len(columns)
    )
