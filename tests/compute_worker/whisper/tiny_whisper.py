"""A Whisper of random weights, small enough for a test: written once, run by numpy in double precision and
exported to ONNX. The layers are those of openai-whisper's model.py."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from compute_worker.whisper.text_tokens import _bytes_by_character

WIDTH, HEADS, LAYERS, BANDS, FRAMES = 24, 3, 2, 80, 1500
MERGES = ("Ġt", "he", "Ġthe", "in", "ou", "Ġa", "er")
FIRST_SPECIAL = 256 + len(MERGES)
END, START, ENGLISH, TRANSCRIBE, NO_TIMESTAMPS = range(FIRST_SPECIAL, FIRST_SPECIAL + 5)
VOCABULARY = FIRST_SPECIAL + 5
ALIGNMENT_HEADS = ((0, 1), (1, 0), (1, 2))
LONGEST_TEXT = 448


class Numpy:
    """The operations, done."""

    def matmul(self, a: Any, b: Any) -> Any:
        return a @ b

    def add(self, a: Any, b: Any) -> Any:
        return a + b

    def gelu(self, a: Any) -> Any:
        return a * 0.5 * (1 + _erf(a / np.sqrt(2)))

    def softmax(self, a: Any) -> Any:
        e = np.exp(a - a.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    def norm(self, a: Any, scale: Any, shift: Any) -> Any:
        mean, variance = a.mean(axis=-1, keepdims=True), a.var(axis=-1, keepdims=True)
        return (a - mean) / np.sqrt(variance + 1e-5) * scale + shift

    def heads(self, a: Any) -> Any:
        return a.reshape(a.shape[0], a.shape[1], HEADS, -1).transpose(0, 2, 1, 3)

    def transposed(self, a: Any) -> Any:
        return a.swapaxes(-1, -2)

    def joined(self, a: Any) -> Any:
        return a.transpose(0, 2, 1, 3).reshape(a.shape[0], a.shape[2], -1)

    def conv(self, a: Any, weight: Any, shift: Any, stride: int) -> Any:
        padded = np.pad(a, ((0, 0), (0, 0), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, 3, axis=2)[:, :, ::stride]
        return np.einsum("bitk,oik->bot", windows, weight) + shift[:, None]

    def embed(self, table: Any, tokens: Any) -> Any:
        return table[tokens] + self.weights["positions"][: tokens.shape[1]]

    def masked(self, scores: Any) -> Any:
        count = scores.shape[-1]
        return scores + np.triu(np.full((count, count), -1e9), 1)

    weights: dict[str, Any]


class Graph:
    """The same operations, noted as ONNX nodes; values are names."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = dict(weights)

    def node(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        output = output or f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def constant(self, value: np.ndarray) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = value
        return name

    def matmul(self, a: str, b: str) -> str:
        return self.node("MatMul", a, b)

    def add(self, a: str, b: str) -> str:
        return self.node("Add", a, b)

    def gelu(self, a: str) -> str:
        inner = self.node("Div", a, self.constant(np.array(np.sqrt(2), dtype=np.float32)))
        one = self.node("Add", self.node("Erf", inner), self.constant(np.array(1, dtype=np.float32)))
        half = self.node("Mul", a, self.constant(np.array(0.5, dtype=np.float32)))
        return self.node("Mul", half, one)

    def softmax(self, a: str) -> str:
        return self.node("Softmax", a, axis=-1)

    def norm(self, a: str, scale: str, shift: str) -> str:
        return self.node("LayerNormalization", a, scale, shift, axis=-1, epsilon=1e-5)

    def heads(self, a: str) -> str:
        shape = self.constant(np.array([0, 0, HEADS, WIDTH // HEADS], dtype=np.int64))
        return self.node("Transpose", self.node("Reshape", a, shape), perm=[0, 2, 1, 3])

    def transposed(self, a: str) -> str:
        return self.node("Transpose", a, perm=[0, 1, 3, 2])

    def joined(self, a: str) -> str:
        shape = self.constant(np.array([0, 0, WIDTH], dtype=np.int64))
        return self.node("Reshape", self.node("Transpose", a, perm=[0, 2, 1, 3]), shape)

    def conv(self, a: str, weight: str, shift: str, stride: int) -> str:
        return self.node("Conv", a, weight, shift, pads=[1, 1], strides=[stride])

    def _count(self, tokens: str) -> str:
        index = self.constant(np.array([1], dtype=np.int64))
        return self.node("Gather", self.node("Shape", tokens), index)

    def embed(self, table: str, tokens: str) -> str:
        zero = self.constant(np.array([0], dtype=np.int64))
        positions = self.node("Slice", "positions", zero, self._count(tokens))
        return self.add(self.node("Gather", table, tokens), positions)

    def masked(self, scores: str) -> str:
        zeros = self.constant(np.array([0, 0], dtype=np.int64))
        count = self._count("input_ids")
        mask = self.node("Slice", "mask", zeros, self.node("Concat", count, count, axis=0))
        return self.add(scores, mask)


def random_weights(seed: int) -> dict[str, np.ndarray]:
    source = np.random.default_rng(seed)

    def matrix(*shape: int, scale: float = 1.0) -> np.ndarray:
        return (source.normal(0, scale / np.sqrt(shape[-1]), shape)).astype(np.float32)

    weights = {
        "conv1.w": matrix(WIDTH, BANDS, 3),
        "conv1.b": matrix(WIDTH),
        "conv2.w": matrix(WIDTH, WIDTH, 3),
        "conv2.b": matrix(WIDTH),
        "tokens": matrix(VOCABULARY, WIDTH, scale=4),
        "positions": matrix(LONGEST_TEXT, WIDTH),
        "frames": matrix(FRAMES, WIDTH, scale=2),
        "mask": np.triu(np.full((LONGEST_TEXT, LONGEST_TEXT), -1e9, dtype=np.float32), 1),
    }
    for block in ("e0", *(f"d{layer}" for layer in range(LAYERS))):
        for part in ("self", "cross"):
            # Peaked enough that attention tells something apart.
            weights |= {f"{block}.{part}.{name}": matrix(WIDTH, WIDTH) for name in "qkvo"}
        weights |= {f"{block}.up": matrix(WIDTH, 48), f"{block}.down": matrix(48, WIDTH)}
        for norm in ("n1", "n2", "n3"):
            weights[f"{block}.{norm}.s"] = 1 + matrix(WIDTH)
            weights[f"{block}.{norm}.b"] = matrix(WIDTH)
    return weights


def attend(ops: Any, w: dict[str, Any], name: str, x: Any, source: Any, scale: Any, masked: bool) -> tuple:
    q, k, v = (ops.heads(ops.matmul(x if part == "q" else source, w[f"{name}.{part}"])) for part in "qkv")
    scores = ops.matmul(ops.matmul(q, scale), ops.transposed(k))
    weights = ops.softmax(ops.masked(scores) if masked else scores)
    return ops.matmul(ops.joined(ops.matmul(weights, v)), w[f"{name}.o"]), weights, scores


def encode(ops: Any, w: dict[str, Any], mel: Any, frames: Any, scale: Any) -> Any:
    x = ops.gelu(ops.conv(mel, w["conv1.w"], w["conv1.b"], 1))
    x = ops.gelu(ops.conv(x, w["conv2.w"], w["conv2.b"], 2))
    x = ops.add(ops.last_swapped(x), frames)
    normed = ops.norm(x, w["e0.n1.s"], w["e0.n1.b"])
    x = ops.add(x, attend(ops, w, "e0.self", normed, normed, scale, masked=False)[0])
    inner = ops.norm(x, w["e0.n2.s"], w["e0.n2.b"])
    return ops.add(x, ops.matmul(ops.gelu(ops.matmul(inner, w["e0.up"])), w["e0.down"]))


def decode(ops: Any, w: dict[str, Any], tokens: Any, features: Any, scale: Any) -> tuple[Any, list, list]:
    x, attentions, scores = ops.embed(w["tokens"], tokens), [], []
    for layer in range(LAYERS):
        block = f"d{layer}"
        normed = ops.norm(x, w[f"{block}.n1.s"], w[f"{block}.n1.b"])
        x = ops.add(x, attend(ops, w, f"{block}.self", normed, normed, scale, masked=True)[0])
        normed = ops.norm(x, w[f"{block}.n2.s"], w[f"{block}.n2.b"])
        added, weights, raw = attend(ops, w, f"{block}.cross", normed, features, scale, masked=False)
        attentions.append(weights)
        scores.append(raw)
        x = ops.add(x, added)
        normed = ops.norm(x, w[f"{block}.n3.s"], w[f"{block}.n3.b"])
        x = ops.add(x, ops.matmul(ops.gelu(ops.matmul(normed, w[f"{block}.up"])), w[f"{block}.down"]))
    return ops.matmul(x, w["unembed"]), attentions, scores


def scale_matrix() -> np.ndarray:
    return np.eye(WIDTH // HEADS, dtype=np.float32) / np.float32(np.sqrt(WIDTH // HEADS))


def run(weights: dict[str, np.ndarray], mel: np.ndarray, tokens: list[int]) -> list[np.ndarray]:
    """Attention scores before the softmax, by layer: heads by tokens by frames."""
    exact = {name: value.astype(np.float64) for name, value in weights.items()}
    exact["unembed"] = exact["tokens"].T
    ops = Numpy()
    ops.weights = exact
    ops.last_swapped = ops.transposed  # type: ignore[attr-defined]
    features = encode(ops, exact, mel[None].astype(np.float64), exact["frames"], scale_matrix().astype(float))
    return [scores[0] for scores in decode(ops, exact, np.array([tokens]), features, scale_matrix())[2]]


def export(weights: dict[str, np.ndarray], folder: Path) -> None:
    """Everything that the model aligner asks for."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {name: name for name in weights}
    weights = {**weights, "scale": scale_matrix(), "unembed": np.ascontiguousarray(weights["tokens"].T)}
    names["unembed"] = "unembed"
    encoder = Graph(weights)
    encoder.last_swapped = lambda a: encoder.node("Transpose", a, perm=[0, 2, 1])  # type: ignore[attr-defined]
    features = encode(encoder, names, "input_features", "frames", "scale")
    encoder.node("Identity", features, output="last_hidden_state")
    _save(
        encoder,
        folder / "encoder_model.onnx",
        [("input_features", TensorProto.FLOAT, ["b", BANDS, 2 * FRAMES])],
        [("last_hidden_state", ["b", FRAMES, WIDTH])],
    )
    decoder = Graph(weights)
    logits, attentions, _ = decode(decoder, names, "input_ids", "encoder_hidden_states", "scale")
    decoder.node("Identity", logits, output="logits")
    for layer, attention in enumerate(attentions):
        decoder.node("Identity", attention, output=f"cross_attentions.{layer}")
    _save(
        decoder,
        folder / "decoder_model.onnx",
        [
            ("input_ids", TensorProto.INT64, ["b", "t"]),
            ("encoder_hidden_states", TensorProto.FLOAT, ["b", FRAMES, WIDTH]),
        ],
        [
            ("logits", ["b", "t", VOCABULARY]),
            *((f"cross_attentions.{layer}", ["b", HEADS, "t", FRAMES]) for layer in range(LAYERS)),
        ],
    )
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": vocabulary()}}))
    (folder / "generation_config.json").write_text(
        json.dumps(
            {
                "alignment_heads": ALIGNMENT_HEADS,
                "decoder_start_token_id": START,
                "eos_token_id": END,
                "no_timestamps_token_id": NO_TIMESTAMPS,
                "lang_to_id": {"<|en|>": ENGLISH},
                "task_to_id": {"transcribe": TRANSCRIBE},
            }
        )
    )


def vocabulary() -> dict[str, int]:
    single = {character: index for index, character in enumerate(_bytes_by_character())}
    return single | {merge: 256 + index for index, merge in enumerate(MERGES)}


def _save(graph: Graph, path: Path, inputs: list[tuple], outputs: list[tuple]) -> None:
    used = {name for node in graph.nodes for name in node.input}
    proto = helper.make_graph(
        graph.nodes,
        path.stem,
        [helper.make_tensor_value_info(*one) for one in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs],
        [numpy_helper.from_array(value, name) for name, value in graph.constants.items() if name in used],
    )
    model = helper.make_model(proto, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def _erf(values: np.ndarray) -> np.ndarray:
    from math import erf  # noqa: PLC0415

    return np.vectorize(erf)(values)
