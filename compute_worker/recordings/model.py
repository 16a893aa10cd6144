"""A person's own recording of a document, and what aligning it finds. No I/O."""

from dataclasses import dataclass, field
from typing import Final

from compute_worker.speech.model import WordTime

# Raise it when the same recording would be aligned otherwise than before.
ALIGNMENT_VERSION: Final = "3"
PARTS_NAME: Final = "parts.json"  # what the child process is told besides its job


@dataclass(frozen=True)
class TextPart:
    """A segment of the document's plan, as the child process is told of it."""

    ordinal: int
    section: int
    block_id: str
    start: int  # code points into the block's text
    end: int
    text: str
    language: str


@dataclass(frozen=True)
class PlacedPart:
    """Where a part is heard: milliseconds of the recording, words by code points of the block's text.

    Without words it is known where the part is, not more.
    """

    part: TextPart
    start_ms: int
    end_ms: int
    words: tuple[WordTime, ...] = field(repr=False)

    @property
    def is_exact(self) -> bool:
        return bool(self.words)


@dataclass(frozen=True)
class TextSection:
    """A section of the document's plan, whose parts have ordinals from the first on, without gaps."""

    section: int
    title: str
    first_ordinal: int
    part_count: int
    character_count: int
