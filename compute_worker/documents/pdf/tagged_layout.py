"""Regions from a tagged PDF's own structure, where that can be believed.

Geometry lays the page out first. Tags then say which of its lines are one paragraph, one cell or one item,
and what they are; of the order only as much is taken from them as does not contradict the page.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from compute_worker.documents.model import BlockRole
from compute_worker.documents.pdf.layout import regions_of
from compute_worker.documents.pdf.lines import line_of
from compute_worker.documents.pdf.model import LayoutKind, Line, Page, Region, Word
from compute_worker.documents.pdf.paragraphs import paragraphs_of, runs_on
from compute_worker.documents.pdf.tags import TaggedBlock

_LEAST_CLAIMED: Final = 0.5  # of a page's characters
_MUCH_IN_ONE: Final = 0.5  # of them in one block: it is looked at closely
_SEVERAL: Final = 4  # paragraphs, which one block does not hold, or too few to judge by
_MOST_BROKEN: Final = 0.25  # of the paragraphs ending in the middle of a sentence at the end of a line
_MOST_IN_FIGURES: Final = 0.3
_LEAST_AGREEMENT: Final = 0.8  # of pairs of neighbours in the tags' order that geometry reads in it too
_SAME_ROW: Final = 0.3  # of the size
_NEXT_LINE: Final = 1.7
_CAN_GO_ON: Final = frozenset({None, BlockRole.LIST_ITEM, BlockRole.FOOTNOTE, BlockRole.QUOTE})
_MARKER = re.compile(r"(?:[\[(]?[0-9a-zA-Z]{1,4}[\]).:]{1,2}){1,3}|\W{1,2}")
_MOST_MARKED: Final = 0.5  # of a table's rows: it is a list


def regions_by_tags(page: Page, regions: Sequence[Region]) -> list[Region] | None:
    """regions: by geometry. None where there are no tags, or they make no sense."""
    texts: defaultdict[int, str] = defaultdict(str)
    for word in page.words:
        texts[word.tag] += word.text
    claims = {
        id_: number
        for number, block in enumerate(page.tags)
        if not _is_list(block, texts)
        for id_ in _ids_of(block)
    }
    claimed = sum(len(word.text) for word in page.words if word.tag in claims)
    total = sum(len(word.text) for word in page.words)
    if not claimed or claimed < _LEAST_CLAIMED * total:
        return None
    assembly = _Assembly(page, claims)
    assembly.collect(regions)
    return None if assembly.is_nonsense(total) else assembly.regions()


def geometric_regions(page: Page) -> list[Region]:
    """By whitespace, and by the file's own structure where it has one that helps."""
    regions = regions_of(page.words, page.number, page.lines)
    if not page.tags or page.turn:
        return regions
    return regions_by_tags(page, regions) or regions


class _Assembly:
    """Lines of the page by the block that they belong to. Numbers from -2 down stand for text that no block
    claims."""

    def __init__(self, page: Page, claims: dict[int, int]) -> None:
        self._page = page
        self._claims = claims
        self._lines: dict[int, list[list[Word]]] = {}
        self._loose = 0

    def collect(self, regions: Sequence[Region]) -> None:
        """In the order of geometry, so that each block's lines are in the order in which they are read."""
        for region in regions:
            self._loose -= 1
            for line in region.lines:
                parts: dict[int, list[Word]] = {}
                for word, owner in zip(line.words, self._owners(line), strict=True):
                    parts.setdefault(owner, []).append(word)
                for owner, words in parts.items():
                    self._lines.setdefault(owner, []).append(words)
                if any(owner >= 0 for owner in parts):
                    self._loose -= 1

    def _owners(self, line: Line) -> list[int]:
        """What is not tagged, such as a field's value or a drawn bullet, goes with its neighbours."""
        owners = [self._claims.get(word.tag, self._loose) for word in line.words]
        last = next((owner for owner in owners if owner >= 0), self._loose)
        for number, word in enumerate(line.words):
            last = owners[number] = last if word.tag < 0 else owners[number]
        return owners

    def is_nonsense(self, characters: int) -> bool:
        by_block = {
            number: sum(len(word.text) for row in rows for word in row)
            for number, rows in self._lines.items()
            if number >= 0
        }
        largest = max(by_block, key=lambda number: by_block[number])
        if by_block[largest] > _MUCH_IN_ONE * characters and self._paragraphs_in(largest) >= _SEVERAL:
            return True
        figures = sum(
            count for number, count in by_block.items() if self._block(number).role is BlockRole.OTHER
        )
        return figures > _MOST_IN_FIGURES * characters or self._is_broken()

    def _paragraphs_in(self, number: int) -> int:
        """As geometry sees them."""
        if self._block(number).rows:
            return 1
        lines = [line_of(row, self._page.number) for row in self._lines[number]]
        return len(paragraphs_of(Region(lines, 0.0, self._page.width)))

    def _is_broken(self) -> bool:
        """Whether lines were taken for paragraphs, as converters do that know no paragraphs."""
        plain = [
            rows
            for number, rows in self._lines.items()
            if number >= 0 and self._block(number).role is None and len(rows) < 3
        ]
        lines = [line_of(rows[0], self._page.number) for rows in plain]
        broken = sum(1 for before, line in pairwise(lines) if runs_on(before, line))
        return len(lines) > _SEVERAL and broken > _MOST_BROKEN * len(lines)

    def regions(self) -> list[Region]:
        order: list[int] = []
        for number in self._order():
            if order and self._goes_on(order[-1], number):
                self._lines[order[-1]] += self._lines[number]
            else:
                order.append(number)
        return [self._region(number, self._lines[number]) for number in order]

    def _goes_on(self, before: int, number: int) -> bool:
        """Whether the tags have cut a paragraph: on one line, or in a sentence that goes on in the next."""
        if before < 0 or self._block(before).role not in _CAN_GO_ON or self._block(before).rows:
            return False
        if number >= 0 and (self._block(number).role is not None or self._block(number).rows):
            return False
        if number < 0 and len(self._lines[number]) > 1:
            return False
        end = line_of(self._lines[before][-1], self._page.number)
        begin = line_of(self._lines[number][0], self._page.number)
        size, down = end.font.size, begin.baseline - end.baseline
        if abs(begin.font.size - size) > _SAME_ROW or begin.font.is_bold != end.font.is_bold:
            return False
        if abs(down) < _SAME_ROW * size:
            return 0 < begin.left - end.right < size
        return 0 < down < _NEXT_LINE * size and runs_on(end, begin)

    def _order(self) -> list[int]:
        """Geometry's, unless the tags' is nearly the same: then they know better about the rest."""
        order = list(self._lines)
        tagged = sorted(number for number in order if number >= 0)
        place = {number: index for index, number in enumerate(order)}
        pairs = list(pairwise(tagged))
        agreeing = sum(1 for before, number in pairs if place[before] < place[number])
        if len(tagged) < len(order) or agreeing < _LEAST_AGREEMENT * len(pairs):
            return order
        return tagged

    def _region(self, number: int, rows: list[list[Word]]) -> Region:
        lines = [line_of(row, self._page.number) for row in _joined(rows)]
        region = Region(lines, min(line.left for line in lines), max(line.right for line in lines))
        if number < 0:
            return region
        block = self._block(number)
        region.role, region.level, region.is_whole = block.role, block.level, True
        if block.rows:
            region.kind = LayoutKind.TABLE
            region.rows = [cells for cells in map(self._cells, block.rows) if cells]
            region.role = None
        return region

    def _cells(self, row: list[list[int]]) -> list[list[Line]]:
        cells = []
        for ids in row:
            wanted = set(ids)
            rows = [
                words
                for line in self._lines[self._claims[ids[0]]]
                if (words := [word for word in line if word.tag in wanted])
            ]
            if rows:
                cells.append([line_of(words, self._page.number) for words in _joined(rows)])
        return cells

    def _block(self, number: int) -> TaggedBlock:
        return self._page.tags[number]


def _ids_of(block: TaggedBlock) -> list[int]:
    return block.ids + [id_ for row in block.rows for cell in row for id_ in cell]


def _is_list(table: TaggedBlock, texts: Mapping[int, str]) -> bool:
    """A table that only sets numbers or bullets beside their texts: geometry knows what these are."""
    firsts = ["".join(texts.get(id_, "") for id_ in row[0]) for row in table.rows if len(row) == 2]
    return sum(1 for first in firsts if _MARKER.fullmatch(first)) > _MOST_MARKED * len(table.rows)


def _joined(rows: list[list[Word]]) -> list[list[Word]]:
    """Pieces of one line that geometry took for columns become one line again."""
    joined: list[list[Word]] = []
    for row in rows:
        before = joined[-1][-1] if joined else None
        if before is not None and abs(before.baseline - row[0].baseline) < _SAME_ROW * row[0].font.size:
            joined[-1] = joined[-1] + row
        else:
            joined.append(row)
    return joined
