"""From what a detector puts out to boxes on a page. Lengths are shares of the page's width and height."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from compute_worker.documents.layout_model.settings import LayoutSettings, invalid

MOST_BOXES: Final = 500
_Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Box:
    """order: the model's own, where it reads; else None."""

    label: str
    score: float
    left: float
    top: float
    right: float
    bottom: float
    order: float | None = None

    @property
    def area(self) -> float:
        return max(0.0, self.right - self.left) * max(0.0, self.bottom - self.top)

    def overlap(self, other: "Box") -> float:
        """Intersection over union."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        if width <= 0 or height <= 0:
            return 0.0
        return width * height / (self.area + other.area - width * height)


def decoded(outputs: Sequence[Any], settings: LayoutSettings) -> list[Box]:
    """The surest first, without duplicates. Raises LAYOUT_MODEL_INVALID for tensors of another shape."""
    tensors = [np.asarray(output) for output in outputs]
    match settings.output:
        case "rows":
            boxes = _of_rows(tensors[0], settings)
        case "queries":
            boxes = _of_queries(tensors, settings)
        case "anchors":
            boxes = _of_anchors(tensors[0], settings)
    sure = sorted((box for box in boxes if box.score >= settings.least_score), key=lambda box: -box.score)
    return _without_duplicates(sure[: 4 * MOST_BOXES], settings.most_overlap)[:MOST_BOXES]


def _of_rows(rows: NDArray[Any], settings: LayoutSettings) -> list[Box]:
    if rows.ndim == 3 and rows.shape[0] == 1:
        rows = rows[0]
    if rows.ndim != 2 or rows.shape[1] < 6:
        raise invalid(f"its output has the shape {list(rows.shape)}, not rows of six numbers or more")
    scale = _scale(settings)
    return [
        _box(
            settings,
            int(row[0]),
            float(row[1]),
            row[2:6] / scale,
            float(row[6]) if rows.shape[1] > 6 else None,
        )
        for row in rows[np.isfinite(rows).all(axis=1)]
        if 0 <= int(row[0]) < len(settings.labels)
    ]


def _of_queries(tensors: list[NDArray[Any]], settings: LayoutSettings) -> list[Box]:
    """As DETR's successors are read: each query takes its best label by the sigmoid of its logit."""
    boxes = next((tensor for tensor in tensors if tensor.ndim == 3 and tensor.shape[2] == 4), None)
    logits = next((t for t in tensors if t.ndim == 3 and t.shape[2] == len(settings.labels)), None)
    if boxes is None or logits is None or boxes.shape[1] != logits.shape[1]:
        raise invalid("its outputs are not logits for its labels and boxes of four numbers")
    scores = 1 / (1 + np.exp(-np.clip(logits[0].astype(np.float32), -60, 60)))
    best = scores.argmax(axis=1)
    centre, size = boxes[0][:, :2], boxes[0][:, 2:]
    corners = np.concatenate([centre - size / 2, centre + size / 2], axis=1)
    return [
        _box(settings, int(label), float(scores[number, label]), corners[number], None)
        for number, label in enumerate(best)
        if np.isfinite(corners[number]).all()
    ]


def _of_anchors(rows: NDArray[Any], settings: LayoutSettings) -> list[Box]:
    if rows.ndim == 3 and rows.shape[0] == 1:
        rows = rows[0]
    if rows.ndim != 2 or rows.shape[1] != 4 + len(settings.labels):
        raise invalid(f"its output has the shape {list(rows.shape)}, not four numbers and one for each label")
    rows = rows[np.isfinite(rows).all(axis=1)]
    best = rows[:, 4:].argmax(axis=1)
    scale = _scale(settings)
    return [
        _box(settings, int(label), float(row[4 + label]), row[:4] / scale, None)
        for row, label in zip(rows, best, strict=True)
    ]


def _scale(settings: LayoutSettings) -> _Floats:
    width, height = settings.input_width, settings.input_height
    return np.array([width, height, width, height], np.float32)


def _box(
    settings: LayoutSettings, label: int, score: float, corners: NDArray[Any], order: float | None
) -> Box:
    left, top, right, bottom = (min(1.0, max(0.0, float(place))) for place in corners)
    return Box(settings.labels[label].lower(), score, left, top, right, bottom, order)


def _without_duplicates(boxes: Sequence[Box], most_overlap: float) -> list[Box]:
    """Greedy non-maximum suppression over all labels: a word has one place to be."""
    kept: list[Box] = []
    for box in boxes:
        if box.area > 0 and all(box.overlap(other) <= most_overlap for other in kept):
            kept.append(box)
    return kept
