"""Sections of a form, which lines from side to side part, and the boxes side by side in them."""

from collections.abc import Sequence
from typing import Final

from compute_worker.documents.pdf.grids import Rule
from compute_worker.documents.pdf.model import Word
from compute_worker.documents.pdf.pieces import Piece, piece_of

_LEAST_ACROSS: Final = 0.9  # of a table's width, of the lines between its rows
LINES_OF_FORM: Final = 30  # that run across, and are no table's
_LEAST_DOWN: Final = 0.6  # of a form's section, of the sides of its boxes
_MOST_LEVEL: Final = 0.6  # of the lines in a box, with lines in the one beside it
_LEAST_BOX: Final = 40.0  # points


def sections_of(pieces: Sequence[Piece], across: Sequence[Rule]) -> list[list[Piece]]:
    """Of a form: what lines from side to side part."""
    if not pieces:
        return []
    left, right = min(piece.left for piece in pieces), max(piece.right for piece in pieces)
    spare = (1 - _LEAST_ACROSS) * (right - left)
    edges = [y for y, start, end in across if start <= left + spare and end >= right - spare]
    sections: dict[int, list[Piece]] = {}
    for piece in pieces:
        sections.setdefault(sum(1 for y in edges if y < piece.middle), []).append(piece)
    return [sections[number] for number in sorted(sections)]


def boxes_of(section: list[Piece], down: Sequence[Rule]) -> list[list[Piece]]:
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
    boxes: dict[int, list[Piece]] = {}
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


def _parted(piece: Piece, edges: Sequence[float]) -> list[tuple[int, Piece]]:
    """By edges that pass between its words; with the number of the box for each part."""
    if piece.table:
        return [(sum(1 for x in edges if x < piece.left + 1), piece)]
    boxes: dict[int, list[Word]] = {}
    for word in piece.words:
        boxes.setdefault(sum(1 for x in edges if x <= word.left), []).append(word)
    return [(number, piece_of(words)) for number, words in boxes.items()]
