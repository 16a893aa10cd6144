"""Bullets that are drawn and not written: browsers print those of lists as small filled shapes."""

import ctypes
from itertools import repeat
from typing import Any, Final

import pypdfium2.raw as pdfium

from compute_worker.documents.pdf.direct_calls import address_of, object_bounds, object_type, page_object
from compute_worker.documents.pdf.model import Font, Word

_MOST_OBJECTS: Final = 5_000  # a page with more is a drawing
_MOST_BULLETS: Final = 80
_LEAST, _LARGEST = 1.5, 8.0  # points
_REACH: Final = 30.0

_Box = tuple[float, float, float, float]


def shapes_of(page: Any) -> list[_Box]:
    """Boxes of small round or square shapes, in the file's coordinates: left, bottom, right, top."""
    count = pdfium.FPDFPage_CountObjects(page)
    if count > _MOST_OBJECTS:
        return []
    address, edges = address_of(page), (ctypes.c_float * 4)()
    edge_addresses = [ctypes.addressof(edges) + place * ctypes.sizeof(ctypes.c_float) for place in range(4)]
    objects = list(map(page_object, repeat(address), range(count)))
    found: list[_Box] = []
    for shape, kind in zip(objects, map(object_type, objects), strict=True):
        if kind != pdfium.FPDF_PAGEOBJ_PATH or not object_bounds(shape, *edge_addresses):
            continue
        left, bottom, right, top = edges
        width, height = right - left, top - bottom
        if _LEAST <= width <= _LARGEST and 0.8 * width <= height <= 1.25 * width:
            found.append((left, bottom, right, top))
    return found if len(found) <= _MOST_BULLETS else []


def bullets_among(words: list[Word], shapes: list[_Box]) -> list[Word]:
    """The shapes, by now in the page's coordinates, at which a line begins; as words."""
    found = []
    for left, top, right, bottom in shapes:
        middle = (top + bottom) / 2
        row = [word for word in words if word.top < middle < word.bottom and word.bottom - word.top < 80]
        after = [word for word in row if 0 <= word.left - right <= _REACH]
        if not after or any(
            -1 <= left - word.right <= _REACH or word.left < left < word.right for word in row
        ):
            continue
        text = min(after, key=lambda word: word.left)
        if bottom - top < 0.7 * text.font.size:
            found.append(
                Word(
                    "•", left, text.top, right, text.bottom, text.baseline, Font(text.font.size), tag=text.tag
                )
            )
    return found
