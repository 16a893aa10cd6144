"""Running headers and footers and page numbers: what stands at the edge of a page and comes again on
others."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from compute_worker.documents.model import BlockRole
from compute_worker.documents.pdf.lines import line_of, rows_of
from compute_worker.documents.pdf.model import Line, Page, Word

LOOK_AHEAD: Final = 6  # pages on either side in which an edge line must come again
_ROWS: Final = 4  # at either edge
_TOP_SHARE, _BOTTOM_SHARE, _DEPTH = 0.18, 0.82, 0.26
_ALIKE: Final = 0.6
_LEAST_TAGGED: Final = 0.8  # of a page's characters, for the rest to be no part of its text
_NEAR: Final = 6.0
_APART: Final = 1.35  # sizes from the furniture's innermost row to the text
_ROMAN: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_NUMBER = re.compile(
    r"[-–—|\[(\s]*(?:page|seite|p\.|pg\.?|página|стр\.?|第)?\s*(?:[A-Z]{1,2}-)?(\d{1,5}|[ivxlc]{1,7})\s*(?:页|頁|ページ)?"
    r"(?:\s*(?:of|/|von|de|из)\s*\d{1,4})?[-–—|\])\s.]*",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """A row of words near the top or bottom of a page."""

    words: tuple[Word, ...]
    text: str
    pattern: str
    baseline: float
    is_top: bool
    rank: int
    """Counted from the edge."""
    is_number: bool
    numbers: tuple[int, ...]
    """At its ends, where pages are counted."""
    gap: float
    """To the next row inwards, in heights of this one."""
    is_artifact: bool
    """Left out of the structure of a page that has one: what its writer calls no part of the text."""


@dataclass(frozen=True, slots=True)
class PageEdges:
    page: int
    height: float
    rows: tuple[EdgeRow, ...]


def edges_of(page: Page) -> PageEdges:
    found: list[EdgeRow] = []
    is_tagged = _is_tagged(page)
    for is_top in (True, False):
        depth = _DEPTH * page.height
        rows = rows_of(
            word
            for word in page.words
            if (word.baseline < depth if is_top else word.baseline > page.height - depth)
        )
        ordered = rows if is_top else rows[::-1]
        for rank, row in enumerate(ordered[:_ROWS]):
            baseline = row[0].baseline
            inside = baseline < _TOP_SHARE * page.height if is_top else baseline > _BOTTOM_SHARE * page.height
            if not inside:
                break
            is_artifact = is_tagged and all(word.tag < 0 for word in row)
            found.append(_edge_row(row, ordered, rank, is_top=is_top, is_artifact=is_artifact))
    return PageEdges(page.number, page.height, tuple(found))


def _is_tagged(page: Page) -> bool:
    tagged = sum(len(word.text) for word in page.words if word.tag >= 0)
    return bool(page.tags) and tagged > _LEAST_TAGGED * sum(len(word.text) for word in page.words)


def _edge_row(
    row: list[Word], ordered: Sequence[list[Word]], rank: int, *, is_top: bool, is_artifact: bool
) -> EdgeRow:
    text = " ".join(word.text for word in row)
    gap = 99.0
    if rank + 1 < len(ordered):
        inner = ordered[rank + 1]
        height = max(word.font.size for word in row)
        gap = abs(inner[0].baseline - row[0].baseline) / max(height, 1.0)
    found = _NUMBER.fullmatch(text)
    return EdgeRow(
        words=tuple(row),
        text=text,
        pattern=_DIGITS.sub("#", text.lower()),
        baseline=row[0].baseline,
        is_top=is_top,
        rank=rank,
        is_number=found is not None,
        numbers=_numbers(found[1]) if found else _end_numbers(row),
        gap=gap,
        is_artifact=is_artifact,
    )


def furniture_of(page: PageEdges, others: Sequence[PageEdges]) -> list[tuple[EdgeRow, BlockRole]]:
    """Which rows of a page are furniture, given the pages around it. What lies further out than a row that
    is, is too."""
    found: list[tuple[EdgeRow, BlockRole]] = []
    for is_top in (True, False):
        rows = [row for row in page.rows if row.is_top is is_top]
        known = [_role(row, page, others) for row in rows]
        deepest = max(
            (
                n
                for n, role in enumerate(known)
                if role and (rows[n].gap >= _APART or rows[n].is_number or rows[n].is_artifact)
            ),
            default=-1,
        )
        plain = BlockRole.HEADER if is_top else BlockRole.FOOTER
        found += [(row, role or plain) for row, role in zip(rows[: deepest + 1], known, strict=False)]
    return found


def _role(row: EdgeRow, page: PageEdges, others: Sequence[PageEdges]) -> BlockRole | None:
    if row.is_number and (row.gap >= 1.4 or row.rank == 0) and _counts_on(row, page, others):
        return BlockRole.PAGE_NUMBER
    if row.is_artifact:
        return (
            BlockRole.PAGE_NUMBER if row.is_number else BlockRole.HEADER if row.is_top else BlockRole.FOOTER
        )
    alike = sum(
        1 for other in others if any(_is_alike(row, candidate, page, other) for candidate in other.rows)
    )
    if alike >= 2 or (alike == 1 and (row.gap >= 1.5 or len(others) == 1) and row.rank == 0):
        return BlockRole.HEADER if row.is_top else BlockRole.FOOTER
    return None


def _counts_on(row: EdgeRow, page: PageEdges, others: Sequence[PageEdges]) -> bool:
    """Whether the number grows as pages do, or there is no other page to tell."""
    counted = [
        (other.page, number) for other in others for candidate in other.rows for number in candidate.numbers
    ]
    if any(number - own == distance - page.page for distance, number in counted for own in row.numbers):
        return True
    is_sole = not any(candidate.is_number for other in others for candidate in other.rows)
    return is_sole and row.rank == 0 and row.gap >= 1.8


def _is_alike(row: EdgeRow, other: EdgeRow, page: PageEdges, on: PageEdges) -> bool:
    if row.is_top is not other.is_top:
        return False
    offset = 0.0 if row.is_top else on.height - page.height
    if abs(other.baseline - offset - row.baseline) > _NEAR:
        return False
    if row.pattern == other.pattern:
        return True
    mine, theirs = set(row.pattern.split()), set(other.pattern.split())
    return len(mine & theirs) >= _ALIKE * len(mine | theirs)


def _numbers(text: str) -> tuple[int, ...]:
    """A number, arabic or roman."""
    if text.isdecimal():
        return (int(text),)
    total = 0
    values = [_ROMAN.get(letter, 0) for letter in text.lower()]
    for value, following in zip(values, [*values[1:], 0], strict=True):
        total += -value if value < following else value
    return (total,) if total else ()


def _end_numbers(row: Sequence[Word]) -> tuple[int, ...]:
    ends = {row[0].text, row[-1].text}
    return tuple(number for text in ends if len(text) <= 6 and text.isalnum() for number in _numbers(text))


def take_out(page: Page, found: Sequence[tuple[EdgeRow, BlockRole]]) -> list[tuple[Line, BlockRole]]:
    """The furniture's lines, whose words leave the page."""
    gone = {id(word) for row, _ in found for word in row.words}
    page.words = [word for word in page.words if id(word) not in gone]
    return [(line_of(list(row.words), page.number), role) for row, role in found]
