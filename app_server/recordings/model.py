"""A person's own recording of a document: a file, and what came of aligning it. No I/O."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

MOST_RECORDINGS: Final = 8  # of one document
_SIZE_IN_UPLOADS: Final = 5  # ten hours at 64 kbit/s are 290 MB, at 128 kbit/s twice as much
# What a browser plays under these names. A file is told by its first bytes, whatever it is called.
_MEDIA_TYPES: Final = (
    (b"ftyp", 4, "audio/mp4"),
    (b"OggS", 0, "audio/ogg"),
    (b"fLaC", 0, "audio/flac"),
    (b"RIFF", 0, "audio/wav"),
    (b"\x1aE\xdf\xa3", 0, "audio/webm"),
    (b"ID3", 0, "audio/mpeg"),
)


class RecordingState(Enum):
    ALIGNING = "aligning"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class RecordingFailure:
    code: str
    message: str
    retryable: bool


@dataclass(frozen=True)
class Progress:
    phase: str
    done: int
    total: int


@dataclass(frozen=True)
class Recording:
    """result_ref is where the alignment lies, of one that is ready."""

    id: str
    document_id: str
    file_name: str
    media_type: str
    size_bytes: int
    created_at_ms: int
    state: RecordingState = RecordingState.ALIGNING
    operation_id: str | None = None
    result_ref: str | None = None
    failure: RecordingFailure | None = None


def most_recording_bytes(max_upload_bytes: int) -> int:
    """Sound is larger than text: a recording may have the size of several uploads."""
    return _SIZE_IN_UPLOADS * max_upload_bytes


def media_type_of(start: bytes) -> str | None:
    """None for what is no recording."""
    for magic, offset, name in _MEDIA_TYPES:
        if start[offset : offset + len(magic)] == magic:
            return name
    if len(start) > 1 and start[0] == 0xFF and start[1] & 0xE0 == 0xE0:
        return "audio/aac" if start[1] & 0xF6 == 0xF0 else "audio/mpeg"
    return None


def recording_prefix(recording_id: str) -> str:
    return f"recordings/{recording_id}/"


def audio_key(recording_id: str) -> str:
    return f"{recording_prefix(recording_id)}audio"
