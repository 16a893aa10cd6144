"""What is drawn on a page and tells how its text is to be read: bullets of lists and the lines of tables."""

import ctypes
from itertools import repeat
from typing import Any, Final

import pypdfium2.raw as pdfium

from compute_worker.documents.pdf.direct_calls import address_of, object_bounds, object_type, page_object
from compute_worker.documents.pdf.frame import Frame
from compute_worker.documents.pdf.model import Box, Drawings

_MOST_OBJECTS: Final = 5_000  # a page with more is a drawing
_MOST_BULLETS: Final = 80
_LEAST, _LARGEST = 1.5, 8.0  # points, of a bullet
_THICKEST: Final = 3.5  # points, of a line with its ends
_SHORTEST: Final = 6.0
_MOST_LINES: Final = 2_000
_MOST_SEGMENTS: Final = 2_000  # that are looked at on a page
_RECTANGLE: Final = frozenset({4, 5})


def drawings_of(page: Any, frame: Frame) -> Drawings:
    """In the coordinates of the page as it is shown."""
    count = pdfium.FPDFPage_CountObjects(page)
    if count > _MOST_OBJECTS:
        return Drawings()
    address, edges = address_of(page), (ctypes.c_float * 4)()
    edge_addresses = [ctypes.addressof(edges) + place * ctypes.sizeof(ctypes.c_float) for place in range(4)]
    objects = list(map(page_object, repeat(address), range(count)))
    shapes: list[Box] = []
    lines: list[Box] = []
    segments = 0
    for shape, kind in zip(objects, map(object_type, objects), strict=True):
        if kind != pdfium.FPDF_PAGEOBJ_PATH or not object_bounds(shape, *edge_addresses):
            continue
        left, bottom, right, top = edges
        width, height = right - left, top - bottom
        if (width <= _THICKEST and height >= _SHORTEST) or (height <= _THICKEST and width >= _SHORTEST):
            lines.append((left, bottom, right, top))
        elif _LEAST <= width <= _LARGEST and 0.8 * width <= height <= 1.25 * width:
            shapes.append((left, bottom, right, top))
        elif width > _LARGEST and height > _LARGEST and segments < _MOST_SEGMENTS:
            path = ctypes.cast(shape, pdfium.FPDF_PAGEOBJECT)
            number = pdfium.FPDFPath_CountSegments(path)
            segments += number
            if number in _RECTANGLE:
                lines += _sides(left, bottom, right, top)
            elif number <= _MOST_SEGMENTS:
                lines += _straight(path, number)
    return Drawings(
        [frame.box(*shape) for shape in shapes] if len(shapes) <= _MOST_BULLETS else [],
        [frame.box(*line) for line in lines] if len(lines) <= _MOST_LINES else [],
    )


def _sides(left: float, bottom: float, right: float, top: float) -> list[Box]:
    return [
        (left, bottom, left, top),
        (right, bottom, right, top),
        (left, bottom, right, bottom),
        (left, top, right, top),
    ]


def _straight(path: Any, count: int) -> list[Box]:
    """Those lines of a path that run across or down."""
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(path, matrix)
    x, y = ctypes.c_float(), ctypes.c_float()
    before: tuple[float, float] | None = None
    found = []
    for number in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(path, number)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        place = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        if before is not None and pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_LINETO:
            (x0, y0), (x1, y1) = before, place
            across, down = abs(x1 - x0), abs(y1 - y0)
            if min(across, down) < 0.5 and max(across, down) >= _SHORTEST:
                found.append((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))
        before = place
    return found
