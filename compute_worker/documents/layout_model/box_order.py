"""The order in which boxes of a page are read: a model's own, or columns and bands by their gaps."""

from collections.abc import Callable, Sequence
from typing import Final

from compute_worker.documents.layout_model.decoding import Box

_MOST_DEPTH: Final = 12
_TOLERANCE: Final = 0.004  # of the page: boxes of neighbours may touch by a little
_Span = Callable[[Box], tuple[float, float]]


def in_reading_order(boxes: Sequence[Box], *, is_rtl: bool) -> list[Box]:
    if boxes and all(box.order is not None for box in boxes):
        return sorted(boxes, key=lambda box: box.order or 0.0)
    return _cut(list(boxes), is_rtl=is_rtl, depth=0)


def _cut(boxes: list[Box], *, is_rtl: bool, depth: int) -> list[Box]:
    if len(boxes) < 2 or depth > _MOST_DEPTH:
        return sorted(boxes, key=lambda box: (box.top, box.left))
    columns = _parted(boxes, _across)
    if len(columns) > 1:
        ordered = reversed(columns) if is_rtl else columns
        return [box for column in ordered for box in _cut(column, is_rtl=is_rtl, depth=depth + 1)]
    bands = _joined(_parted(boxes, _down))
    if len(bands) > 1:
        return [box for band in bands for box in _cut(band, is_rtl=is_rtl, depth=depth + 1)]
    return sorted(boxes, key=lambda box: (round(box.top, 2), -box.right if is_rtl else box.left))


def _joined(bands: list[list[Box]]) -> list[list[Box]]:
    """Bands that together still stand in columns are read column by column, although gaps cross them."""
    joined: list[list[Box]] = []
    for band in bands:
        if joined and len(_parted(joined[-1] + band, _across)) > 1:
            joined[-1] += band
        else:
            joined.append(list(band))
    return joined


def _parted(boxes: list[Box], span: _Span) -> list[list[Box]]:
    parts: list[list[Box]] = []
    edge = 0.0
    for box in sorted(boxes, key=span):
        start, end = span(box)
        if parts and start < edge - _TOLERANCE:
            parts[-1].append(box)
            edge = max(edge, end)
        else:
            parts.append([box])
            edge = end
    return parts


def _across(box: Box) -> tuple[float, float]:
    return box.left, box.right


def _down(box: Box) -> tuple[float, float]:
    return box.top, box.bottom
