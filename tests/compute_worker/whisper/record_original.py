"""What openai-whisper itself answers, for the tests: writes original_times.json beside this file.

It needs torch, which is gigabytes and no dependency of ours. In a virtual environment of its own:
    pip install torch openai-whisper onnx onnxruntime tiktoken soxr structlog pytest
    PYTHONPATH=.:gen:tests python tests/compute_worker/whisper/record_original.py
Encoder, decoder, attention hooks, tokenizer, spectrum and timing are the original's; the weights are those of
tiny_whisper, which has no last normalization and no biases and half as wide a perceptron.
"""

import json
from pathlib import Path

import numpy as np
import test_equality as equality
import tiktoken
import tiny_whisper as tiny
import torch
from whisper.audio import log_mel_spectrogram, pad_or_trim
from whisper.model import ModelDimensions, Whisper
from whisper.timing import find_alignment
from whisper.tokenizer import Tokenizer

from compute_worker.whisper import text_tokens


def original_model(weights: dict[str, np.ndarray]) -> Whisper:
    dimensions = ModelDimensions(
        n_mels=tiny.BANDS,
        n_audio_ctx=tiny.FRAMES,
        n_audio_state=tiny.WIDTH,
        n_audio_head=tiny.HEADS,
        n_audio_layer=1,
        n_vocab=tiny.VOCABULARY,
        n_text_ctx=tiny.LONGEST_TEXT,
        n_text_state=tiny.WIDTH,
        n_text_head=tiny.HEADS,
        n_text_layer=tiny.LAYERS,
    )
    model = Whisper(dimensions)
    state = {name: torch.zeros_like(value) for name, value in model.state_dict().items()}

    def put(name: str, value: np.ndarray) -> None:
        """What the original has more of stays 0."""
        corner = tuple(slice(0, count) for count in value.shape)
        state[name][corner] = torch.from_numpy(np.ascontiguousarray(value))

    def put_block(name: str, block: str, *, has_cross: bool) -> None:
        parts = [("attn", "self"), *([("cross_attn", "cross")] if has_cross else [])]
        for theirs, ours in parts:
            for long, short in (("query", "q"), ("key", "k"), ("value", "v"), ("out", "o")):
                put(f"{name}.{theirs}.{long}.weight", weights[f"{block}.{ours}.{short}"].T)
        put(f"{name}.mlp.0.weight", weights[f"{block}.up"].T)
        put(f"{name}.mlp.2.weight", weights[f"{block}.down"].T)
        norms = ["attn_ln", *(["cross_attn_ln"] if has_cross else []), "mlp_ln"]
        for index, norm in enumerate(norms, start=1):
            put(f"{name}.{norm}.weight", weights[f"{block}.n{index}.s"])
            put(f"{name}.{norm}.bias", weights[f"{block}.n{index}.b"])

    for conv in ("conv1", "conv2"):
        put(f"encoder.{conv}.weight", weights[f"{conv}.w"])
        put(f"encoder.{conv}.bias", weights[f"{conv}.b"])
    put("encoder.positional_embedding", weights["frames"])
    put("decoder.token_embedding.weight", weights["tokens"])
    put("decoder.positional_embedding", weights["positions"])
    put_block("encoder.blocks.0", "e0", has_cross=False)
    for layer in range(tiny.LAYERS):
        put_block(f"decoder.blocks.{layer}", f"d{layer}", has_cross=True)
    model.load_state_dict(state)
    model.encoder.ln_post = torch.nn.Identity()
    model.decoder.ln = torch.nn.Identity()
    heads = torch.zeros(tiny.LAYERS, tiny.HEADS, dtype=torch.bool)
    for layer, head in tiny.ALIGNMENT_HEADS:
        heads[layer, head] = True
    model.register_buffer("alignment_heads", heads.to_sparse(), persistent=False)
    return model.eval()


def original_tokenizer() -> Tokenizer:
    bytes_of = text_tokens._bytes_by_character()
    ranks = {bytes(bytes_of[one] for one in text): token for text, token in tiny.vocabulary().items()}
    known = {
        "<|endoftext|>": tiny.END,
        "<|startoftranscript|>": tiny.START,
        "<|en|>": tiny.ENGLISH,
        "<|transcribe|>": tiny.TRANSCRIBE,
        "<|notimestamps|>": tiny.NO_TIMESTAMPS,
    }
    unused = ("<|translate|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|0.00|>")
    special = known | {name: tiny.VOCABULARY + index for index, name in enumerate(unused)}
    encoding = tiktoken.Encoding(
        "tiny", pat_str=text_tokens._PIECES, mergeable_ranks=ranks, special_tokens=special
    )
    return Tokenizer(encoding, num_languages=1, language="en", task="transcribe")


def main() -> None:
    tokenizer = original_tokenizer()
    told = []
    for seed in equality.SEEDS:
        model = original_model(tiny.random_weights(seed))
        for text in equality.TEXTS:
            samples = equality.sound_for(text)
            mel = log_mel_spectrogram(pad_or_trim(samples), tiny.BANDS)
            timed = find_alignment(model, tokenizer, tokenizer.encode(f" {text}"), mel, len(samples) // 160)
            words = [[one.word, round(float(one.start), 3), round(float(one.end), 3)] for one in timed]
            told.append({"seed": seed, "text": text, "words": words})
    path = Path(__file__).with_name("original_times.json")
    path.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
