"""Tables whose cells are parted by drawn lines, found before anything else is known of a page."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from compute_worker.documents.pdf.lines import is_right_to_left, line_of, rows_of
from compute_worker.documents.pdf.model import Box, LayoutKind, Line, Region, Word
from compute_worker.documents.pdf.table_rows import RowFinder

_NEAR: Final = 2.0  # points, between lines that are one or meet
_MOST_PAIRS: Final = 40_000  # of lines that may meet: a page with more is a drawing
_LEAST_COVERED: Final = 0.6  # of the length of the table's rows and columns
_LEAST_FILLED: Final = 0.4  # of the cells
_MOST_LINES_IN_CELL: Final = 25
_MOST_CROSSED: Final = 0.03  # of the words
Rule = tuple[float, float, float]
"""Where it stands, where it begins and where it ends."""


@dataclass(slots=True)
class _Grid:
    """Lines that meet each other."""

    across: list[Rule] = field(default_factory=list)
    down: list[Rule] = field(default_factory=list)


def across_of(lines: Sequence[Box]) -> list[Rule]:
    """Lines that run across, from the top."""
    return _merged([(0.5 * (box[1] + box[3]), box[0], box[2]) for box in lines if _is_across(box)])


def down_of(lines: Sequence[Box]) -> list[Rule]:
    """Lines that run down, from the left."""
    return _merged([(0.5 * (box[0] + box[2]), box[1], box[3]) for box in lines if not _is_across(box)])


def take_grids(words: Sequence[Word], lines: Sequence[Box], page: int) -> tuple[list[Region], list[Word]]:
    """The tables in grids, and the words outside of them."""
    across, down = across_of(lines), down_of(lines)
    if len(across) < 2 or len(down) < 2 or len(across) * len(down) > _MOST_PAIRS:
        return [], list(words)
    found, rest = [], list(words)
    for grid in _grids(across, down):
        region, others = _table(grid, rest, page)
        if region is not None:
            found.append(region)
            rest = others
    return found, rest


def _is_across(box: Box) -> bool:
    return box[2] - box[0] > box[3] - box[1]


def _merged(rules: list[Rule]) -> list[Rule]:
    """Pieces of one line become one."""
    merged: list[Rule] = []
    for rule in sorted(rules):
        number = _goes_on(merged, rule)
        if number is None:
            merged.append(rule)
        else:
            place, start, end = merged[number]
            merged[number] = (place, min(start, rule[1]), max(end, rule[2]))
    return merged


def _goes_on(merged: Sequence[Rule], rule: Rule) -> int | None:
    """Which of the lines so far it is a piece of."""
    for number in range(len(merged) - 1, -1, -1):
        place, start, end = merged[number]
        if rule[0] - place > 0.75 * _NEAR:
            return None
        if rule[1] <= end + 1.5 * _NEAR and rule[2] >= start - 1.5 * _NEAR:
            return number
    return None


def _grids(across: Sequence[Rule], down: Sequence[Rule]) -> list[_Grid]:
    """Every line belongs to the grid of those that it meets."""
    owner = list(range(len(across) + len(down)))

    def root(number: int) -> int:
        while owner[number] != number:
            owner[number] = owner[owner[number]]
            number = owner[number]
        return number

    for number, (y, left, right) in enumerate(across):
        for other, (x, top, bottom) in enumerate(down, start=len(across)):
            if left - _NEAR <= x <= right + _NEAR and top - _NEAR <= y <= bottom + _NEAR:
                owner[root(number)] = root(other)
    grids: dict[int, _Grid] = {}
    for number, rule in enumerate(across):
        grids.setdefault(root(number), _Grid()).across.append(rule)
    for number, rule in enumerate(down, start=len(across)):
        grids.setdefault(root(number), _Grid()).down.append(rule)
    return [grid for grid in grids.values() if len(grid.across) > 1 and len(grid.down) > 1]


def _places(rules: Sequence[Rule]) -> list[float]:
    places: list[float] = []
    for place, _, _ in sorted(rules):
        if not places or place - places[-1] > 1.5 * _NEAR:
            places.append(place)
    return places


def _covers(rules: Sequence[Rule], place: float, at: float) -> bool:
    """Whether a line stands at the place and passes the point."""
    return any(abs(other - place) <= 1.5 * _NEAR and start <= at <= end for other, start, end in rules)


def _table(grid: _Grid, words: list[Word], page: int) -> tuple[Region | None, list[Word]]:
    """None for a form, a chart, a frame around the page: for what is no table."""
    if not _is_regular(grid):
        return None, words
    ys = _with_ends(_places(grid.across), grid.down)
    xs = _with_ends(_places(grid.down), grid.across)
    owners = _owners(grid, ys, xs)
    cells: dict[tuple[int, int], list[Word]] = {}
    rest: list[Word] = []
    for word in words:
        row = sum(1 for y in ys if y < word.middle) - 1
        column = sum(1 for x in xs if x < 0.5 * (word.left + word.right)) - 1
        if 0 <= row < len(ys) - 1 and 0 <= column < len(xs) - 1:
            cells.setdefault(owners[row, column], []).append(word)
        else:
            rest.append(word)
    whole = {owner: rows_of(inside) for owner, inside in cells.items()}
    if not _is_filled(grid, cells, whole, len(set(owners.values()))):
        return None, words
    is_rtl = is_right_to_left("".join([word.text for inside in cells.values() for word in inside]))
    rows: list[list[list[Line]]] = []
    for row in sorted({row for row, _ in whole}):
        columns = [whole[place] for place in sorted(place for place in whole if place[0] == row)]
        for within in _rows_within(columns):
            ordered = within[::-1] if is_rtl else within
            rows.append([[line_of(line, page) for line in cell] for cell in ordered])
    return Region(
        [line for row in rows for cell in row for line in cell], xs[0], xs[-1], LayoutKind.TABLE, rows
    ), rest


def _rows_within(columns: list[list[list[Word]]]) -> list[list[list[list[Word]]]]:
    """Cells of lines. Below a table's head there may be no more lines, and many rows in one place."""
    if sum(1 for lines in columns if len(lines) > 1) > 1:
        finder = RowFinder(columns, ())
        if finder.are_lines_rows:
            return [
                [cells[number] for number in sorted(cells)] for cells in (r.cells() for r in finder.rows())
            ]
    return [columns]


def _with_ends(places: list[float], others: Sequence[Rule]) -> list[float]:
    """Tables that are open at their sides end where the lines across them end."""
    first, last = min(start for _, start, _ in others), max(end for _, _, end in others)
    before = [first] if first < places[0] - 2 * _NEAR else []
    return [*before, *places, *([last] if last > places[-1] + 2 * _NEAR else [])]


def _is_regular(grid: _Grid) -> bool:
    """Lines that pass through the table, from side to side, with few cells that span some."""
    ys, xs = _places(grid.across), _places(grid.down)
    width = max(end for _, _, end in grid.across) - min(start for _, start, _ in grid.across)
    height = max(end for _, _, end in grid.down) - min(start for _, start, _ in grid.down)
    return (
        len(ys) + len(xs) > 4
        and sum(end - start for _, start, end in grid.across) >= _LEAST_COVERED * len(ys) * width
        and sum(end - start for _, start, end in grid.down) >= _LEAST_COVERED * len(xs) * height
    )


def _owners(grid: _Grid, ys: Sequence[float], xs: Sequence[float]) -> dict[tuple[int, int], tuple[int, int]]:
    """Of each place in the grid: the first place of the cell that it is part of, as no line parts them."""
    owners: dict[tuple[int, int], tuple[int, int]] = {}
    for row, (top, bottom) in enumerate(pairwise(ys)):
        for column, (left, right) in enumerate(pairwise(xs)):
            if column and not _covers(grid.down, left, 0.5 * (top + bottom)):
                owners[row, column] = owners[row, column - 1]
            elif row and not _covers(grid.across, top, 0.5 * (left + right)):
                owners[row, column] = owners[row - 1, column]
            else:
                owners[row, column] = (row, column)
    return owners


def _is_filled(
    grid: _Grid,
    cells: dict[tuple[int, int], list[Word]],
    whole: dict[tuple[int, int], list[list[Word]]],
    count: int,
) -> bool:
    """Most cells hold text, none of them a page of it, and the lines pass between the words."""
    rows, columns = {row for row, _ in cells}, {column for _, column in cells}
    if len(rows) < 2 or len(columns) < 2 or len(cells) < _LEAST_FILLED * count:
        return False
    if max(map(len, whole.values())) > _MOST_LINES_IN_CELL:
        return False
    words = [word for inside in cells.values() for word in inside]
    crossed = sum(
        1
        for word in words
        for x, top, bottom in grid.down
        if word.left + _NEAR < x < word.right - _NEAR and top < word.middle < bottom
    )
    return crossed <= _MOST_CROSSED * len(words)
