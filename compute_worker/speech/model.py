"""What is asked of a speech provider and what comes back. No I/O."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

FRAME_SAMPLES = 576  # MPEG-2 Layer III frame at 24 kHz: 24 ms
FRAME_BYTES = 192  # 64 kbit/s x 24 ms
FRAME_MS = 24
SAMPLE_RATE = 24_000

Permit = Callable[[], Awaitable[None]]


class ProviderType(Enum):
    BUILTIN = "builtin"
    CUSTOM_OPENAI = "custom-openai"
    OPENAI = "openai"
    DEEPINFRA = "deepinfra"
    REPLICATE = "replicate"


@dataclass(frozen=True)
class RequestPolicy:
    max_retries: int = 2
    timeout_ms: int = 285_000
    max_concurrent: int = 3
    requests_per_minute: int = 0  # by all workers together; 0: as many as they like, as for characters
    characters_per_minute: int = 0
    max_wait_seconds: int = 30  # for one's turn


@dataclass(frozen=True)
class Provider:
    """A provider with its credentials, resolved for one generation run; never stored or logged."""

    ref: str
    type: ProviderType
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    default_model: str = ""
    default_instructions: str = ""
    policy: RequestPolicy = RequestPolicy()


async def _granted() -> None:
    """Nobody else would make it."""


@dataclass(frozen=True)
class SpeechRequest:
    """text is what is spoken; character offsets in results are code points into it."""

    text: str
    model: str
    voice: str
    language: str  # BCP 47
    instructions: str = ""
    native_speed: float = 1.0
    # Awaited at the last moment before the provider is asked, each time; raises when it must not be any more.
    permit: Permit = field(default=_granted, compare=False)


@dataclass(frozen=True, slots=True)
class WordTime:
    """One word's sound: milliseconds from the start of the audio, code points into the text."""

    start_ms: int
    end_ms: int
    char_start: int
    char_end: int


@dataclass(frozen=True)
class SynthesizedAudio:
    """A provider's answer as it came: bytes in whatever container, and word times if it gave them
    (in milliseconds of these bytes' audio)."""

    body: bytes = field(repr=False)
    words: tuple[WordTime, ...] | None = None


@dataclass(frozen=True)
class Voice:
    voice_id: str
    name: str
    language: str = ""


@dataclass(frozen=True)
class SpokenSegment:
    """A segment in the stream's format: CBR frames without pause, and its word times measured from
    the start of the first frame (they include the codec's delay of 1105 samples)."""

    frames: bytes = field(repr=False)
    words: tuple[WordTime, ...]
    exact: bool  # measured, not estimated in proportion to the text
    aligner: str = ""  # which one placed the words, or tried and could not be trusted
    # What was encoded, on the way from the synthesizer to the aligner; nobody keeps it.
    samples: NDArray[np.float32] | None = field(default=None, repr=False, compare=False)

    @property
    def frame_count(self) -> int:
        return len(self.frames) // FRAME_BYTES
