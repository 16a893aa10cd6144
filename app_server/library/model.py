"""Documents of a library, and where their readers are. No I/O."""

from dataclasses import dataclass
from enum import Enum

from app_server.library.formats import DocumentFormat


class DocumentState(Enum):
    PROCESSING = "processing"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class Progress:
    phase: str
    done: int
    total: int  # 0 while unknown


@dataclass(frozen=True)
class DocumentFailure:
    code: str
    message: str
    retryable: bool


@dataclass(frozen=True)
class Position:
    segment_ordinal: int
    block_id: str
    offset: int
    section: int
    fraction: float
    updated_at_ms: int


@dataclass(frozen=True)
class Document:
    id: str
    owner_id: str
    sha256: str
    size_bytes: int
    file_name: str
    format: DocumentFormat
    state: DocumentState
    # None until the worker has accepted the parsing, and again before a new attempt.
    operation_id: str | None
    # Where the reading document's artifacts lie, once ready.
    reading_ref: str | None
    title: str
    authors: tuple[str, ...]
    # Empty while unknown.
    language: str
    # What of these three its owner has changed.
    own: "OwnMetadata"
    # Where a web page was fetched from.
    source_url: str | None
    cover: str | None
    character_count: int | None
    section_count: int | None
    failure: DocumentFailure | None
    created_at_ms: int
    position: Position | None


@dataclass(frozen=True)
class OwnMetadata:
    """What stands in the place of what the file says of itself; None leaves the file's word."""

    title: str | None = None
    authors: tuple[str, ...] | None = None
    language: str | None = None


@dataclass(frozen=True)
class ReadingSummary:
    """What the library shows of a reading document."""

    title: str
    authors: tuple[str, ...]
    language: str
    cover: str | None
    character_count: int
    section_count: int


@dataclass(frozen=True)
class NewDocument:
    id: str
    owner_id: str
    sha256: str
    size_bytes: int
    file_name: str
    format: DocumentFormat
    title: str
    created_at_ms: int
    own_title: str | None = None
    source_url: str | None = None


@dataclass(frozen=True)
class Added:
    """is_duplicate: these bytes were in the library already, as this document."""

    document: Document
    is_duplicate: bool


def document_key(sha256: str) -> str:
    return f"documents/{sha256}"


def reading_prefix(sha256: str) -> str:
    """Everything that any parser version made of a file."""
    return f"reading/{sha256}/"
