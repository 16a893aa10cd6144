"""What stands on a page and what is made of it. Lengths are points, from the top left corner of the page
as it is shown."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from compute_worker.documents.model import BlockRole
from compute_worker.documents.pdf.tags import TaggedBlock


class Font(NamedTuple):
    """A tuple, as fonts are compared for every word."""

    size: float
    is_bold: bool = False
    is_italic: bool = False
    is_mono: bool = False


@dataclass(slots=True)
class Word:
    """A piece of text without white space. A glued word continues the one before it."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    baseline: float
    font: Font
    is_glued: bool = False
    is_raised: bool = False
    tag: int = -1
    """The id of the marked content that it is part of, which a tagged PDF's structure refers to."""

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""


@dataclass(frozen=True, slots=True)
class Drawings:
    """bullets: small shapes that may be some. lines: thin ones, across or down, as between cells."""

    bullets: Sequence[Box] = ()
    lines: Sequence[Box] = ()


@dataclass(slots=True)
class Page:
    """Only the words that stand upright; what is turned on the page is left out of the reading."""

    number: int
    width: float
    height: float
    words: list[Word] = field(default_factory=list)
    has_unmapped_text: bool = False
    has_pictures: bool = False
    file_top: float = 0.0
    turn: int = 0
    """By how many quarters the page was turned to set its text upright."""
    tags: list[TaggedBlock] = field(default_factory=list)
    lines: Sequence[Box] = ()
    """Thin ones that are drawn across or down."""


@dataclass(slots=True)
class Line:
    text: str
    page: int
    left: float
    top: float
    right: float
    bottom: float
    baseline: float
    font: Font
    """That of most of the line's characters."""
    words: list[Word] = field(default_factory=list)
    word_starts: list[int] = field(default_factory=list)
    """Where each word begins in the text; -1 for a mark that is no part of it."""
    marks: list[tuple[int, str]] = field(default_factory=list)
    """Raised marks of notes and where in the text each stands; they are no part of it."""
    places: "array[float]" = field(default_factory=lambda: array("f"))
    """Start, left and right of each word: what stays of them when the page is done."""

    @property
    def height(self) -> float:
        return self.bottom - self.top


class LayoutKind(Enum):
    TEXT = "text"
    TABLE = "table"


@dataclass(slots=True)
class Region:
    """Lines that belong together, in their order; those of a table row by row."""

    lines: list[Line]
    left: float
    right: float
    kind: LayoutKind = LayoutKind.TEXT
    rows: list[list[list[Line]]] = field(default_factory=list)
    """Of a table: cells, each of one or more lines."""
    role: BlockRole | None = None
    """What a layout model or the file's own tags say that it is; None where only geometry is known."""
    level: int = 0
    is_whole: bool = False
    """One paragraph, whatever it looks like."""


@dataclass(slots=True)
class Paragraph:
    lines: list[Line]
    role: BlockRole = BlockRole.PARAGRAPH
    level: int = 0
    left: float = 0.0
    right: float = 0.0
    """The edges of the column it stands in."""
    cells: list[list[Line]] | None = None
    """Of a table's row."""
    starts_indented: bool = False
    is_role_given: bool = False
    """By a layout model or by tags, so that nothing is guessed."""
    is_text_by_model: bool = False
    """A layout model has seen that it is plain text, which tags leave open."""

    @property
    def page(self) -> int:
        return self.lines[0].page

    @property
    def font(self) -> Font:
        return max(self.lines, key=lambda line: len(line.text)).font
