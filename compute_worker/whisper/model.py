"""A downloaded Whisper model: encoder, decoder with cross-attentions, tokens, and what it says of itself.

The files' names and the graphs' inputs and outputs are those of the "timestamped" exports for Transformers:
encoder_model.onnx (input_features -> last_hidden_state), decoder_model.onnx (input_ids,
encoder_hidden_states -> logits, cross_attentions.<layer>), tokenizer.json, generation_config.json.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from compute_worker.audio.pcm import Samples
from compute_worker.whisper.mel import HOP_SAMPLES, WINDOW_SECONDS, log_mel_spectrum
from compute_worker.whisper.text_tokens import TextTokens
from shared.errors import Code, LecternError

_PREFERRED: Final = ("CUDAExecutionProvider", "CPUExecutionProvider")
MOST_WINDOWS: Final = 4
_ENCODER_FRAMES: Final = WINDOW_SECONDS * 50


@dataclass(frozen=True)
class Window:
    """At most 30 s at 16 kHz, and what is said in it."""

    samples: Samples = field(repr=False)
    text: str
    language: str


@dataclass(frozen=True)
class Heard:
    """Tokens of the text with their characters; attention: alignment heads by all tokens by frames."""

    offsets: tuple[tuple[int, int], ...]
    attention: NDArray[np.float32] = field(repr=False)
    prefix: int
    frames: int
    likelihood: float  # mean probability of the text's tokens


class WhisperModel:
    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        """threads: 0 for as many as there are cores. Raises MODEL_UNUSABLE."""
        try:
            self._tokens = TextTokens(_file(folder, "tokenizer.json"))
            config = json.loads(_file(folder, "generation_config.json").read_bytes())
            self._config = _Config.of(config)
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads
            options.log_severity_level = 3
            available = onnxruntime.get_available_providers()
            providers = [name for name in _PREFERRED if name in available]
            self._encoder, self._decoder = (
                onnxruntime.InferenceSession(str(_file(folder, name)), options, providers=providers)
                for name in ("encoder_model.onnx", "decoder_model.onnx")
            )
        except Exception as error:  # onnxruntime's own have no common class
            raise _unusable(error) from error
        shape = self._encoder.get_inputs()[0].shape
        self._bands = int(shape[1]) if isinstance(shape[1], int) else 80

    def hear(self, windows: Sequence[Window]) -> list[Heard]:
        """In batches of what memory has room for: what one holds grows with its windows and the longest of
        their texts. Raises LANGUAGE_UNKNOWN before anything is heard."""
        for window in windows:
            self._config.prefix(window.language)
        firsts = range(0, len(windows), MOST_WINDOWS)
        return [one for first in firsts for one in self._hear_batch(windows[first : first + MOST_WINDOWS])]

    def _hear_batch(self, windows: Sequence[Window]) -> list[Heard]:
        mels = np.stack([log_mel_spectrum(window.samples, self._bands) for window in windows])
        features = _run(self._encoder, ["last_hidden_state"], {"input_features": mels})[0]
        texts = [self._tokens.encode(window.text) for window in windows]
        prefixes = [self._config.prefix(window.language) for window in windows]
        tokens = [
            [*prefix, self._config.no_timestamps, *(token.id for token in text), self._config.end_of_text]
            for prefix, text in zip(prefixes, texts, strict=True)
        ]
        longest = max(map(len, tokens))
        padded = np.array([one + [self._config.end_of_text] * (longest - len(one)) for one in tokens])
        names = [f"cross_attentions.{layer}" for layer in self._config.layers]
        inputs = {"input_ids": padded.astype(np.int64), "encoder_hidden_states": features}
        outputs = _run(self._decoder, ["logits", *names], inputs)
        by_layer = dict(zip(self._config.layers, outputs[1:], strict=True))
        heard = []
        for index, (window, text, own) in enumerate(zip(windows, texts, tokens, strict=True)):
            prefix = len(prefixes[index])
            rows = [by_layer[layer][index, head, : len(own)] for layer, head in self._config.heads]
            heard.append(
                Heard(
                    offsets=tuple((token.start, token.end) for token in text),
                    attention=np.stack(rows),
                    prefix=prefix,
                    frames=min(_ENCODER_FRAMES, max(1, len(window.samples) // HOP_SAMPLES // 2)),
                    likelihood=_likelihood(outputs[0][index], own, prefix),
                )
            )
        return heard


@dataclass(frozen=True)
class _Config:
    start: int
    end_of_text: int
    no_timestamps: int
    transcribe: int | None
    languages: dict[str, int]
    heads: tuple[tuple[int, int], ...]

    @staticmethod
    def of(config: dict[str, Any]) -> "_Config":
        end = config["eos_token_id"]
        return _Config(
            start=int(config["decoder_start_token_id"]),
            end_of_text=int(end[0] if isinstance(end, list) else end),
            no_timestamps=int(config["no_timestamps_token_id"]),
            transcribe=config.get("task_to_id", {}).get("transcribe"),
            languages={name.strip("<|>"): int(token) for name, token in config.get("lang_to_id", {}).items()},
            heads=tuple((int(layer), int(head)) for layer, head in config["alignment_heads"]),
        )

    @property
    def layers(self) -> list[int]:
        return sorted({layer for layer, _ in self.heads})

    def prefix(self, language: str) -> list[int]:
        """A model for English alone knows no languages."""
        if not self.languages or self.transcribe is None:
            return [self.start]
        code = language.replace("_", "-").split("-")[0].lower()
        if code not in self.languages:
            raise LecternError(
                Code.INVALID_ARGUMENT,
                "The alignment model doesn't know this language.",
                reason="LANGUAGE_UNKNOWN",
            )
        return [self.start, self.languages[code], self.transcribe]


def _likelihood(logits: NDArray[np.float32], tokens: Sequence[int], prefix: int) -> float:
    wanted = np.array(tokens[prefix + 1 : -1], dtype=np.int64)
    if not len(wanted):
        return 0.0
    rows = logits[prefix : prefix + len(wanted)].astype(np.float64)
    rows = np.exp(rows - rows.max(axis=1, keepdims=True))
    return float(np.mean(rows[np.arange(len(wanted)), wanted] / rows.sum(axis=1)))


def _run(session: Any, names: list[str], inputs: dict[str, Any]) -> list[NDArray[np.float32]]:
    try:
        outputs: list[NDArray[np.float32]] = session.run(names, inputs)
    except Exception as error:  # as above
        raise _unusable(error) from error
    return outputs


def _unusable(error: Exception) -> LecternError:
    return LecternError(
        Code.FAILED_PRECONDITION,
        "The alignment model can't be used: it isn't a Whisper model with cross-attentions in ONNX.",
        reason="MODEL_UNUSABLE",
        details={"cause": f"{type(error).__name__}: {error}"[:300]},
    )


def _file(folder: Path, name: str) -> Path:
    """At the top, or where exports keep their graphs."""
    for path in (folder / name, folder / "onnx" / name):
        if path.is_file():
            return path
    raise FileNotFoundError(f"{name} is missing")
