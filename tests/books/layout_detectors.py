"""Tiny layout detectors with known weights: each looks at fixed places of a page, and is the surer of a box
the darker the page is there. What is turned, mirrored or wrongly scaled before it gets there is not found."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

LABELS = ["text", "doc_title", "paragraph_title", "header", "footnote", "table", "image", "number"]
WIDTH, HEIGHT = 96, 128
_GAIN = 60.0  # a line of text darkens its box by some percent


@dataclass(frozen=True)
class Place:
    """Shares of the page's width and height. order: where the model reads it."""

    label: str
    left: float
    top: float
    right: float
    bottom: float
    order: int = 0


def write_detector(folder: Path, places: Sequence[Place], *, output: str, **settings: Any) -> None:
    """output: rows (as PaddleDetection exports them), ordered rows, queries (as DETR) or anchors."""
    build = {"rows": _rows, "ordered rows": _ordered_rows, "queries": _queries, "anchors": _anchors}[output]
    nodes, constants, outputs, extra_inputs = build(places)
    masks = numpy_helper.from_array(_masks(places), "masks")
    flat = numpy_helper.from_array(np.array([-1, 1], np.int64), "flat")
    one = numpy_helper.from_array(np.array(1.0, np.float32), "one")
    gain = numpy_helper.from_array(np.array(_GAIN, np.float32), "gain")
    zero = numpy_helper.from_array(np.array(0.0, np.float32), "zero")
    axes = numpy_helper.from_array(np.array([1], np.int64), "channels")
    common = [
        helper.make_node("ReduceMean", ["image", "channels"], ["gray"], keepdims=0),
        helper.make_node("Reshape", ["gray", "flat"], ["pixels"]),
        helper.make_node("MatMul", ["masks", "pixels"], ["brightness"]),
        helper.make_node("Sub", ["one", "brightness"], ["darkness"]),
        helper.make_node("Mul", ["darkness", "gain"], ["raw"]),
        helper.make_node("Clip", ["raw", "zero", "one"], ["score"]),  # one for each place
    ]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, HEIGHT, WIDTH])
    graph = helper.make_graph(
        [*common, *nodes],
        "detector",
        [image, *extra_inputs],
        outputs,
        [masks, flat, one, gain, zero, axes, *constants],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    about = {
        "name": "Tiny detector",
        "inputWidth": WIDTH,
        "inputHeight": HEIGHT,
        "output": "rows" if output == "ordered rows" else output,
        "labels": LABELS,
        **settings,
    }
    (folder / "layout.json").write_text(json.dumps(about))


def _masks(places: Sequence[Place]) -> NDArray[np.float32]:
    masks = np.zeros((len(places), HEIGHT, WIDTH), np.float32)
    for mask, place in zip(masks, places, strict=True):
        rows = slice(int(place.top * HEIGHT), max(int(place.bottom * HEIGHT), int(place.top * HEIGHT) + 1))
        mask[rows, int(place.left * WIDTH) : int(place.right * WIDTH)] = 1
    flat = masks.reshape(len(places), -1)
    scaled: NDArray[np.float32] = flat / flat.sum(axis=1, keepdims=True)
    return scaled


def _rows(places: Sequence[Place], *, is_ordered: bool = False) -> Any:
    labels = np.array([[LABELS.index(place.label)] for place in places], np.float32)
    corners = np.array(
        [[p.left * WIDTH, p.top * HEIGHT, p.right * WIDTH, p.bottom * HEIGHT] for p in places], np.float32
    )
    orders = np.array([[place.order] for place in places], np.float32)
    parts = ["labels", "score", "scaled", *(["orders"] if is_ordered else [])]
    nodes = [
        # As such exports do: back to the picture's own size, by how much it was scaled.
        helper.make_node("Concat", ["scale_factor", "scale_factor"], ["scales"], axis=1),
        helper.make_node("Div", ["corners", "scales"], ["scaled"]),
        helper.make_node("Concat", parts, ["rows"], axis=1),
    ]
    constants = [
        numpy_helper.from_array(labels, "labels"),
        numpy_helper.from_array(corners, "corners"),
        numpy_helper.from_array(orders, "orders"),
    ]
    width = 7 if is_ordered else 6
    outputs = [helper.make_tensor_value_info("rows", TensorProto.FLOAT, [len(places), width])]
    return (
        nodes,
        constants,
        outputs,
        [helper.make_tensor_value_info("scale_factor", TensorProto.FLOAT, [1, 2])],
    )


def _ordered_rows(places: Sequence[Place]) -> Any:
    return _rows(places, is_ordered=True)


def _one_hot(places: Sequence[Place]) -> NDArray[np.float32]:
    hot = np.zeros((len(places), len(LABELS)), np.float32)
    for row, place in zip(hot, places, strict=True):
        row[LABELS.index(place.label)] = 1
    return hot


def _queries(places: Sequence[Place]) -> Any:
    boxes = np.array(
        [
            [(p.left + p.right) / 2, (p.top + p.bottom) / 2, p.right - p.left, p.bottom - p.top]
            for p in places
        ],
        np.float32,
    )
    nodes = [
        helper.make_node("Mul", ["score", "hot"], ["sure"]),
        helper.make_node("Mul", ["sure", "steep"], ["steeper"]),
        helper.make_node("Sub", ["steeper", "half"], ["flat_logits"]),
        helper.make_node("Unsqueeze", ["flat_logits", "first"], ["logits"]),
        helper.make_node("Identity", ["boxes"], ["pred_boxes"]),
    ]
    constants = [
        numpy_helper.from_array(_one_hot(places), "hot"),
        numpy_helper.from_array(np.array(20, np.float32), "steep"),
        numpy_helper.from_array(np.array(10, np.float32), "half"),
        numpy_helper.from_array(np.array([0], np.int64), "first"),
        numpy_helper.from_array(boxes[None], "boxes"),
    ]
    outputs = [
        helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, len(places), len(LABELS)]),
        helper.make_tensor_value_info("pred_boxes", TensorProto.FLOAT, [1, len(places), 4]),
    ]
    return nodes, constants, outputs, []


def _anchors(places: Sequence[Place]) -> Any:
    """Each place twice, a little moved, as networks without suppression have it."""
    corners = np.array(
        [[p.left * WIDTH, p.top * HEIGHT, p.right * WIDTH, p.bottom * HEIGHT] for p in places], np.float32
    )
    nodes = [
        helper.make_node("Mul", ["score", "hot"], ["scores"]),
        helper.make_node("Mul", ["scores", "less"], ["lower"]),
        helper.make_node("Concat", ["corners", "scores"], ["once"], axis=1),
        helper.make_node("Concat", ["moved", "lower"], ["twice"], axis=1),
        helper.make_node("Concat", ["once", "twice"], ["all"], axis=0),
        helper.make_node("Unsqueeze", ["all", "first"], ["anchors"]),
    ]
    constants = [
        numpy_helper.from_array(_one_hot(places), "hot"),
        numpy_helper.from_array(np.array(0.95, np.float32), "less"),
        numpy_helper.from_array(np.array([0], np.int64), "first"),
        numpy_helper.from_array(corners, "corners"),
        numpy_helper.from_array(corners + np.float32(0.5), "moved"),
    ]
    shape = [1, 2 * len(places), 4 + len(LABELS)]
    return nodes, constants, [helper.make_tensor_value_info("anchors", TensorProto.FLOAT, shape)], []
