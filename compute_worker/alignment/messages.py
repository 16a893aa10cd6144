"""What the worker and its alignment process say to each other: a JSON header and plain samples.

A message is a 4-byte big-endian length, that many bytes of header, and header["payload_bytes"] of payload.
"""

import json
import struct
from typing import Any

import numpy as np

from compute_worker.alignment.model import Alignment, ReferenceSpeech
from compute_worker.audio.pcm import Samples
from compute_worker.speech.model import WordTime

PREFIX_BYTES = 4


def pack(header: dict[str, Any], payload: bytes = b"") -> bytes:
    encoded = json.dumps({**header, "payload_bytes": len(payload)}).encode()
    return struct.pack(">I", len(encoded)) + encoded + payload


def header_bytes(prefix: bytes) -> int:
    return int(struct.unpack(">I", prefix)[0])


def pack_task(samples: Samples, sample_rate: int, reference: ReferenceSpeech) -> bytes:
    header = {
        "samples": len(samples),
        "sample_rate": sample_rate,
        "reference_rate": reference.sample_rate,
        "words": _pack_words(reference.words),
    }
    joined = np.concatenate((samples, reference.samples)).astype("<f4", copy=False)
    return pack(header, joined.tobytes())


def unpack_task(header: dict[str, Any], payload: bytes) -> tuple[Samples, int, ReferenceSpeech]:
    joined = np.frombuffer(payload, dtype="<f4")
    count = header["samples"]
    reference = ReferenceSpeech(joined[count:], header["reference_rate"], _unpack_words(header["words"]))
    return joined[:count], header["sample_rate"], reference


def pack_alignment(alignment: Alignment) -> bytes:
    return pack(alignment_header(alignment))


def alignment_header(alignment: Alignment) -> dict[str, Any]:
    return {
        "words": _pack_words(alignment.words),
        "confidence": alignment.confidence,
        "is_trusted": alignment.is_trusted,
    }


def unpack_alignment(header: dict[str, Any]) -> Alignment:
    return Alignment(_unpack_words(header["words"]), header["confidence"], header["is_trusted"])


def _pack_words(words: tuple[WordTime, ...]) -> list[list[int]]:
    return [[word.start_ms, word.end_ms, word.char_start, word.char_end] for word in words]


def _unpack_words(words: list[list[int]]) -> tuple[WordTime, ...]:
    return tuple(WordTime(*word) for word in words)
