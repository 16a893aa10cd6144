"""Rows of a table that no lines part into cells: which of the lines in its columns belong to one row."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from compute_worker.documents.pdf.model import Word

_LEAST_JUMP: Final = 0.14  # of the size, from the space between a cell's lines to that between rows
_MOST_SPREAD: Final = 0.12  # of the size, among the spaces between a cell's lines
_MOST_SPACE: Final = 0.75  # of the size, between lines of a cell where rows have no wider space
_RULED_ROWS: Final = 3
_LEAST_OVERLAP: Final = 0.3  # of the size
_MOST_TANGLED: Final = 0.08  # of the lines
_LEAST_ASIDE: Final = 3  # lines
_LEADER = re.compile(r"[.·…]+")
_NUMBER = re.compile(r"[\W\d]*")


@dataclass(slots=True)
class CellLine:
    column: int
    words: list[Word]
    left: float
    right: float
    top: float
    """Of the letters: what fonts leave above and below them says nothing of the space between lines."""
    bottom: float
    size: float


@dataclass(slots=True)
class Strip:
    """Lines that nothing parts which runs across the table: of each column none, one or more."""

    lines: list[CellLine]
    top: float
    bottom: float
    columns: set[int] = field(default_factory=set)


@dataclass(slots=True)
class TableRow:
    strips: list[Strip] = field(default_factory=list)

    @property
    def columns(self) -> set[int]:
        return {line.column for strip in self.strips for line in strip.lines}

    @property
    def lines(self) -> list[CellLine]:
        return [line for strip in self.strips for line in strip.lines]

    def last_line(self, column: int) -> CellLine | None:
        return next((line for line in reversed(self.lines) if line.column == column), None)

    def cells(self) -> dict[int, list[list[Word]]]:
        """Lines of words, by column."""
        found: dict[int, list[list[Word]]] = {}
        for line in self.lines:
            found.setdefault(line.column, []).append(line.words)
        return found


class RowFinder:
    """columns: the lines of each, from the top. rules: how far down lines are drawn across the table."""

    def __init__(self, columns: Sequence[Sequence[list[Word]]], rules: Sequence[float]) -> None:
        lines = [_lines(number, rows) for number, rows in enumerate(columns)]
        self._strips = _strips(lines)
        self._right = [max([line.right for line in column], default=0.0) for column in lines]
        self._size = max((line.size for strip in self._strips for line in strip.lines), default=10.0)
        self._ruled = [
            any(before.bottom - 1 < rule < strip.top + 1 for rule in rules)
            for before, strip in pairwise(self._strips)
        ]
        self._limit = self._space_between_rows()
        self._lines = lines

    @property
    def has_wide_rows(self) -> bool:
        """Whether spaces or lines across it part the rows."""
        return self._limit is not None or self.is_ruled

    @property
    def is_ruled(self) -> bool:
        """Whether lines part at least three rows."""
        return sum(self._ruled) >= _RULED_ROWS - 1

    @property
    def is_tangled(self) -> bool:
        """Columns that are none, as in a form: their lines overlap."""
        tangled = sum(
            1
            for column in self._lines
            for before, line in pairwise(column)
            if line.top < before.bottom - _LEAST_OVERLAP * before.size
        )
        return tangled > _MOST_TANGLED * sum(map(len, self._lines))

    @property
    def are_lines_rows(self) -> bool:
        """Whether lines end where there was room for how the next ones begin."""
        verdicts = [self._verdict(TableRow([before]), strip) for before, strip in pairwise(self._strips)]
        return 0 < verdicts.count(-1) >= verdicts.count(1)

    def stands_aside(self, column: int) -> bool:
        """Whether a column's lines pass those of the others, as notes in a margin do."""
        lines = self._lines[column]
        if len(lines) < _LEAST_ASIDE:
            return False
        baselines = [line.words[0].baseline for other in self._lines if other is not lines for line in other]
        level = sum(
            1 for line in lines if any(abs(line.words[0].baseline - other) < 1.5 for other in baselines)
        )
        if level > 0.5 * len(lines):
            return False
        rows = [row for row in self.rows() if column in row.columns and len(row.columns) > 1]
        placed = sum(1 for row in rows if begins_together(row) or _is_in_the_middle(row, column))
        return not self.has_wide_rows or placed <= 0.5 * len(rows)

    def rows(self) -> list[TableRow]:
        if not self._strips:
            return []
        rows = [TableRow([self._strips[0]])]
        by_rules = self._are_rows_ruled()
        for number, strip in enumerate(self._strips[1:]):
            is_far = self._gap(number) > max(self._limit or 0.0, _MOST_SPACE * self._size)
            if self._ruled[number] or is_far or (not by_rules and self._begins(number, rows[-1], strip)):
                rows.append(TableRow())
            rows[-1].strips.append(strip)
        return rows

    def _begins(self, number: int, row: TableRow, strip: Strip) -> bool:
        if self._limit is not None:
            return self._gap(number) > self._limit
        return not strip.columns < row.columns or self._verdict(row, strip) <= 0

    def _gap(self, number: int) -> float:
        return self._strips[number + 1].top - self._strips[number].bottom

    def _are_rows_ruled(self) -> bool:
        """A line below every row, and not only below the head or below groups of rows."""
        if not self.is_ruled:
            return False
        verdicts = [
            self._verdict(TableRow([before]), strip)
            for (before, strip), is_ruled in zip(pairwise(self._strips), self._ruled, strict=True)
            if not is_ruled
        ]
        return sum(verdicts) >= 0

    def _space_between_rows(self) -> float | None:
        """None where all spaces are alike, or what the narrow ones part is no cell that goes on."""
        gaps = sorted(self._gap(number) for number, is_ruled in enumerate(self._ruled) if not is_ruled)
        limit = None
        for narrow, wide in pairwise(gaps):
            if wide - narrow >= _LEAST_JUMP * self._size:
                if narrow - gaps[0] <= _MOST_SPREAD * self._size:
                    limit = 0.5 * (narrow + wide)
                break
        if limit is None:
            return None
        verdicts = []
        row = TableRow([self._strips[0]])
        for number, strip in enumerate(self._strips[1:]):
            if self._ruled[number] or self._gap(number) > limit:
                row = TableRow([strip])
            else:
                verdicts.append(self._verdict(row, strip))
                row.strips.append(strip)
        return limit if sum(verdicts) > 0 else None

    def _verdict(self, row: TableRow, strip: Strip) -> int:
        """1 where the strip goes on with the row's cells, -1 where one of these had room for its words."""
        evidence = 0
        for line in strip.lines:
            before = row.last_line(line.column)
            if before is None:
                continue
            if _LEADER.fullmatch(before.words[-1].text):
                return -1
            first = line.words[0]
            room = self._right[line.column] - before.right
            if room > first.right - first.left + 0.6 * line.size or _are_numbers(before, line):
                return -1
            if len(before.words) > 1:
                evidence = 1
        return evidence


def _is_in_the_middle(row: TableRow, column: int) -> bool:
    lines = [line for line in row.lines if line.column == column]
    middle = 0.5 * (lines[0].top + lines[-1].bottom)
    return abs(middle - 0.5 * (row.strips[0].top + row.strips[-1].bottom)) < 0.4 * lines[0].size


def _are_numbers(before: CellLine, line: CellLine) -> bool:
    return all(_NUMBER.fullmatch(word.text) for word in (*before.words, *line.words))


def _lines(column: int, rows: Sequence[list[Word]]) -> list[CellLine]:
    found = []
    for row in rows:
        size = max([word.font.size for word in row])
        baselines = [word.baseline for word in row if word.font.size > 0.85 * size]
        found.append(
            CellLine(
                column,
                row,
                row[0].left,
                max([word.right for word in row]),
                min(baselines) - 0.75 * size,
                max(baselines) + 0.2 * size,
                size,
            )
        )
    return found


def _strips(columns: Sequence[Sequence[CellLine]]) -> list[Strip]:
    strips: list[Strip] = []
    for line in sorted((line for column in columns for line in column), key=lambda line: line.top):
        if strips and line.top < strips[-1].bottom - 0.1 * line.size:
            strip = strips[-1]
            strip.lines.append(line)
            strip.bottom = max(strip.bottom, line.bottom)
        else:
            strip = Strip([line], line.top, line.bottom)
            strips.append(strip)
        strip.columns.add(line.column)
    return strips


def restarts_together(rows: Sequence[TableRow]) -> int:
    """How often cells that end at different heights are followed by cells that begin at one: columns of
    text, which run on each for itself, do not do that."""
    count = 0
    for before, row in pairwise(rows):
        if len(before.columns) < 2 or len(row.columns) < 2:
            continue
        ends = [lines[-1][0].baseline for lines in before.cells().values()]
        count += max(ends) - min(ends) > 3 and begins_together(row)
    return count


def begins_together(row: TableRow) -> bool:
    begins = [lines[0][0].baseline for lines in row.cells().values()]
    return max(begins) - min(begins) < 1.5
