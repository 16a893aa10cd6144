"""Cuts a page into regions in reading order: bands across it, columns within these, again and again
(a recursive XY-cut whose vertical cuts are the gutters that persist over several lines)."""

from collections.abc import Mapping, Sequence
from itertools import pairwise, takewhile
from statistics import median
from typing import Final

from compute_worker.documents.pdf.bands import bands_of, merged
from compute_worker.documents.pdf.form_boxes import LINES_OF_FORM, boxes_of, sections_of
from compute_worker.documents.pdf.grids import Rule, across_of, down_of, take_grids
from compute_worker.documents.pdf.lines import is_right_to_left, line_of, pieces_of, rows_of
from compute_worker.documents.pdf.model import Box, LayoutKind, Region, Word
from compute_worker.documents.pdf.pieces import (
    Band,
    Column,
    Piece,
    columns_of,
    common_gaps,
    is_marker_column,
    is_mono,
    is_prose,
    piece_of,
    piece_of_table,
    with_bullets,
)
from compute_worker.documents.pdf.table_rows import RowFinder, TableRow, begins_together, restarts_together

_MOST_DEPTH: Final = 8
_LEAST_ACROSS: Final = 0.9  # of a table's width, of the lines between its rows
_MOST_LINES_IN_ROW: Final = 14  # on average
_HEAD_SPACE: Final = 0.35  # of the size, at least, between the names of columns


def regions_of(words: Sequence[Word], page: int, lines: Sequence[Box] = ()) -> list[Region]:
    """The regions of a page in the order in which they are read. lines: drawn ones."""
    tables, words = take_grids(words, lines, page) if lines else ([], words)
    pieces = [piece_of(piece) for row in rows_of(words) for piece in pieces_of(row)]
    pieces += [piece_of_table(table) for table in tables]
    is_rtl = is_right_to_left("".join([word.text for word in words]))
    across = across_of(lines)
    cutter = _Cutter(page=page, is_rtl=is_rtl, across=across)
    if len(across) < LINES_OF_FORM:
        return cutter.cut(pieces, 0)
    down = down_of(lines)
    return [
        region
        for section in sections_of(pieces, across)
        for box in boxes_of(section, down)
        for region in cutter.cut(box, 0)
    ]


class _Cutter:
    def __init__(self, *, page: int, is_rtl: bool, across: Sequence[Rule]) -> None:
        self._page = page
        self._is_rtl = is_rtl
        self._across = across

    def cut(self, pieces: list[Piece], depth: int) -> list[Region]:
        if not pieces:
            return []
        if depth >= _MOST_DEPTH or len(pieces) < 2:
            return self._regions(pieces)
        bands = merged(bands_of(pieces, is_rtl=self._is_rtl))
        if len(bands) == 1 and not bands[0].gutters:
            return self._regions(pieces)
        regions: list[Region] = []
        text: list[Piece] = []  # what goes on over bands without columns
        for band in bands:
            columns = with_bullets([Column(column) for column in columns_of(band)])
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

    def _parts(self, columns: Sequence[Column], depth: int) -> list[list[Piece]]:
        """What is read one after the other: columns of text, or a table and what stands beside it."""
        if len(columns) < 2:
            return [column.pieces for column in columns]
        if is_prose(columns) and not self._is_table(columns):
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

    def _regions(self, pieces: Sequence[Piece]) -> list[Region]:
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

    def _text(self, pieces: Sequence[Piece]) -> Region:
        lines = [
            line_of(row, self._page) for row in rows_of(word for piece in pieces for word in piece.words)
        ]
        return Region(lines, min(piece.left for piece in pieces), max(piece.right for piece in pieces))

    def _is_table(self, columns: Sequence[Column]) -> bool:
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

    def _rules(self, columns: Sequence[Column]) -> list[float]:
        """How far down lines are drawn over all columns."""
        left, right = min(column.left for column in columns), max(column.right for column in columns)
        spare = (1 - _LEAST_ACROSS) * (right - left)
        return [y for y, start, end in self._across if start <= left + spare and end >= right - spare]

    def _table_rows(
        self, band: Band, columns: Sequence[Column]
    ) -> tuple[list[Piece], list[Piece], list[Piece]]:
        """A table has at least three rows, or two of three cells, with more than one cell. What stands above
        and below such rows is text."""
        is_list = len(columns) < 2 or (len(columns) == 2 and is_marker_column(columns[0]))
        if is_list or is_mono(band.pieces):
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

    def _table(self, pieces: list[Piece]) -> Region:
        columns = [Column(column) for column in columns_of(Band(pieces, common_gaps(pieces)))]
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


def _lines_by_column(columns: Sequence[Column]) -> list[dict[int, list[list[Word]]]]:
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


def _pieces_in(rows: Sequence[TableRow], by_word: Mapping[int, Piece]) -> list[Piece]:
    found = {
        id(piece): piece
        for row in rows
        for line in row.lines
        for word in line.words
        for piece in [by_word[id(word)]]
    }
    return list(found.values())


def _head(text: list[Piece], rows: Sequence[Piece]) -> list[Piece]:
    """The names of the columns, taken from the text above a table: they may stand so near to each other that
    they look like text."""
    bottom = max((piece.bottom for piece in text), default=0.0)
    line = [piece for piece in text if piece.middle > bottom - 0.7 * piece.size and not piece.table]
    gaps = common_gaps(list(rows)) if line else []
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
    return [piece_of(part) for part in parts]
