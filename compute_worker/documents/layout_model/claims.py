"""The boxes of a layout model claim the words inside them; what none claims is laid out by geometry."""

from collections.abc import Sequence
from typing import Final

from compute_worker.documents.layout_model.box_order import in_reading_order
from compute_worker.documents.layout_model.decoding import Box
from compute_worker.documents.layout_model.labels import MEANINGS
from compute_worker.documents.model import BlockRole
from compute_worker.documents.pdf.layout import regions_of
from compute_worker.documents.pdf.lines import is_right_to_left, line_of, pieces_of, rows_of
from compute_worker.documents.pdf.model import LayoutKind, Page, Region, Word

_LEAST_CLAIMED: Final = 0.6  # of a page's characters; below it the model has not understood the page
_MARGIN: Final = 0.004  # of the page, by which boxes may be drawn too tight


def claimed_regions(page: Page, boxes: Sequence[Box]) -> list[Region] | None:
    """In reading order; None where the boxes miss much of the text."""
    claims = _claims(page, [box for box in boxes if MEANINGS.get(box.label) is not None])
    claimed = {id(word) for words in claims.values() for word in words}
    rest = [word for word in page.words if id(word) not in claimed]
    if _characters(rest) > (1 - _LEAST_CLAIMED) * _characters(page.words):
        return None
    unclaimed = {_box_of(region, page): region for region in regions_of(rest, page.number)}
    text = "".join(word.text for word in page.words)
    # A model's own order says nothing of boxes that it did not draw.
    known = list(claims) if not unclaimed else [_without_order(box) for box in claims]
    by_box = dict(zip(known, claims.values(), strict=True))
    ordered = in_reading_order([*known, *unclaimed], is_rtl=is_right_to_left(text))
    return [unclaimed[box] if box in unclaimed else _region(box, by_box[box], page) for box in ordered]


def _claims(page: Page, boxes: Sequence[Box]) -> dict[Box, list[Word]]:
    """Each word goes to the smallest box that its middle lies in; boxes without words fall away."""
    smallest_first = sorted(boxes, key=lambda box: box.area)
    claims: dict[Box, list[Word]] = {box: [] for box in boxes}
    for word in page.words:
        x, y = (word.left + word.right) / 2 / page.width, word.middle / page.height
        owner = next((box for box in smallest_first if _holds(box, x, y)), None)
        if owner is not None:
            claims[owner].append(word)
    return {box: words for box, words in claims.items() if words}


def _holds(box: Box, x: float, y: float) -> bool:
    return box.left - _MARGIN <= x <= box.right + _MARGIN and box.top - _MARGIN <= y <= box.bottom + _MARGIN


def _region(box: Box, words: list[Word], page: Page) -> Region:
    role = MEANINGS[box.label]
    rows = rows_of(words)
    lines = [line_of(row, page.number) for row in rows]
    region = Region(lines, min(word.left for word in words), max(word.right for word in words), role=role)
    if role is BlockRole.TABLE:
        region.kind = LayoutKind.TABLE
        region.rows = [[[line_of(piece, page.number)] for piece in pieces_of(row)] for row in rows]
    return region


def _box_of(region: Region, page: Page) -> Box:
    return Box(
        label="",
        score=0.0,
        left=region.left / page.width,
        top=min(line.top for line in region.lines) / page.height,
        right=region.right / page.width,
        bottom=max(line.bottom for line in region.lines) / page.height,
    )


def _without_order(box: Box) -> Box:
    return Box(box.label, box.score, box.left, box.top, box.right, box.bottom)


def _characters(words: Sequence[Word]) -> int:
    return sum(len(word.text) for word in words)
