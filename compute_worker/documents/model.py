"""A reading document as plain values: what parsers make and what playback plans from.

The messages of lectern.reading.v1 say what each field means; offsets are code points.
"""

from dataclasses import dataclass
from enum import Enum


class BlockRole(Enum):
    TITLE = "BLOCK_ROLE_TITLE"
    HEADING = "BLOCK_ROLE_HEADING"
    PARAGRAPH = "BLOCK_ROLE_PARAGRAPH"
    LIST_ITEM = "BLOCK_ROLE_LIST_ITEM"
    QUOTE = "BLOCK_ROLE_QUOTE"
    CODE = "BLOCK_ROLE_CODE"
    TABLE = "BLOCK_ROLE_TABLE"
    CAPTION = "BLOCK_ROLE_CAPTION"
    FOOTNOTE = "BLOCK_ROLE_FOOTNOTE"
    FORMULA = "BLOCK_ROLE_FORMULA"
    REFERENCE = "BLOCK_ROLE_REFERENCE"
    HEADER = "BLOCK_ROLE_HEADER"
    FOOTER = "BLOCK_ROLE_FOOTER"
    PAGE_NUMBER = "BLOCK_ROLE_PAGE_NUMBER"
    IMAGE_ALT = "BLOCK_ROLE_IMAGE_ALT"
    OTHER = "BLOCK_ROLE_OTHER"


class TextDirection(Enum):
    LTR = "TEXT_DIRECTION_LTR"
    RTL = "TEXT_DIRECTION_RTL"


@dataclass(frozen=True, slots=True)
class Sentence:
    """The sentences of a block tile its text: white space belongs to the sentence before it."""

    ordinal: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of a page, in points from the upper left corner of the page as it is shown, and where in its
    block's text it begins."""

    page: int
    left: float
    top: float
    right: float
    bottom: float
    start: int
    word_starts: tuple[int, ...] = ()
    """In code points from the start of the line."""
    word_edges: tuple[float, ...] = ()
    """Left and right of each word in turn; top and bottom where the line is vertical."""
    is_vertical: bool = False


@dataclass(frozen=True, slots=True)
class PageSize:
    """In points, of the page as it is shown."""

    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Block:
    id: str
    role: BlockRole
    heading_level: int
    text: str
    language: str
    """Never empty in a document with a known language: the section's where the block has no own."""
    sentences: tuple[Sentence, ...]
    path: str
    page_lines: tuple[PageLine, ...] = ()
    """Of a document that has pages; its blocks have no path."""


@dataclass(frozen=True, slots=True)
class Section:
    index: int
    title: str
    html: str
    blocks: tuple[Block, ...]
    language: str
    direction: TextDirection


@dataclass(frozen=True, slots=True)
class TocEntry:
    title: str
    section: int
    block_id: str = ""
    children: tuple["TocEntry", ...] = ()


@dataclass(frozen=True, slots=True)
class LayoutRecord:
    """How the layout of a PDF was found; model_pages of its pages by a model."""

    model: str = ""
    model_pages: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SectionSummary:
    index: int
    title: str
    first_sentence: int
    sentence_count: int
    character_count: int
    block_count: int
    first_page: int = 0
    last_page: int = 0


@dataclass(frozen=True, slots=True)
class DocumentWarning:
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class BookFont:
    """A face of the type that a book brings for its text."""

    resource: str
    weight: int
    is_italic: bool


@dataclass(frozen=True, slots=True)
class Narration:
    """What a book's file tells of its own narration; wrong_count of its clips cannot be played."""

    narrators: tuple[str, ...] = ()
    duration_seconds: float = 0.0
    """0 where nothing says it."""
    clip_count: int = 0
    wrong_count: int = 0


@dataclass(frozen=True, slots=True)
class ReadingDocument:
    title: str
    authors: tuple[str, ...]
    language: str
    cover: str
    toc: tuple[TocEntry, ...]
    sections: tuple[SectionSummary, ...]
    warnings: tuple[DocumentWarning, ...]
    sentence_count: int
    character_count: int
    source_format: str
    parser_version: str
    layout: LayoutRecord | None = None
    pages: tuple[PageSize, ...] = ()
    """Of a document that has pages."""
    narration: Narration | None = None
    """Of a book that brings one."""
    fonts: tuple[BookFont, ...] = ()
