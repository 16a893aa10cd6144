"""From a file's pages to its paragraphs. Pages pass through a window, since what repeats on others is
known only with these; a long book never lies in memory as words."""

from array import array
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from compute_worker.documents.model import LayoutRecord
from compute_worker.documents.pdf.extraction import read_page
from compute_worker.documents.pdf.file import PdfFile
from compute_worker.documents.pdf.furniture import LOOK_AHEAD, PageEdges, edges_of, furniture_of, take_out
from compute_worker.documents.pdf.model import Line, Page, Paragraph
from compute_worker.documents.pdf.page_layout import PageLayout
from compute_worker.documents.pdf.paragraphs import Typography, paragraphs_of
from compute_worker.documents.pdf.vertical import is_vertical, turn_upright


@dataclass
class PageFacts:
    """What stays of a page."""

    paragraphs: list[Paragraph]
    has_text: bool
    is_picture: bool
    file_top: float
    turn: int
    width: float
    height: float

    def box_as_shown(self, line: Line) -> tuple[float, float, float, float]:
        """Left, top, right and bottom on the page as it is shown, whatever it was turned by for reading."""
        match self.turn:
            case 1:
                return line.top, self.width - line.right, line.bottom, self.width - line.left
            case 2:
                return (
                    self.width - line.right,
                    self.height - line.bottom,
                    self.width - line.left,
                    self.height - line.top,
                )
            case 3:
                return self.height - line.bottom, line.left, self.height - line.top, line.right
            case _:
                return line.left, line.top, line.right, line.bottom

    def along_line(self, left: float, right: float) -> tuple[float, float]:
        """Edges of a word on the page as it is shown: across it, or down where the line runs up or down."""
        return (self.width - right, self.width - left) if self.turn in {1, 2} else (left, right)

    @property
    def size_as_shown(self) -> tuple[float, float]:
        return (self.height, self.width) if self.turn % 2 else (self.width, self.height)


@dataclass
class Reading:
    pages: list[PageFacts] = field(default_factory=list)
    typography: Typography = field(default_factory=Typography)
    layout: LayoutRecord = field(default_factory=LayoutRecord)

    @property
    def is_scanned(self) -> bool:
        """Pictures of pages, and not a word."""
        pages = self.pages
        return any(page.is_picture for page in pages) and not any(page.has_text for page in pages)


def read_pages(file: PdfFile, layout: PageLayout, report: Callable[[int, int], None]) -> Reading:
    reading = Reading()
    for page, edges, others in _with_neighbours(file):
        reading.pages.append(_read(page, edges, others, layout, reading.typography))
        report(page.number + 1, file.page_count)
    reading.layout = layout.record()
    return reading


def _with_neighbours(file: PdfFile) -> Iterator[tuple[Page, PageEdges, list[PageEdges]]]:
    waiting: deque[tuple[Page, PageEdges]] = deque()
    known: deque[PageEdges] = deque()

    def first() -> tuple[Page, PageEdges, list[PageEdges]]:
        page, edges = waiting.popleft()
        others = [other for other in known if 0 < abs(other.page - page.number) <= LOOK_AHEAD]
        while known and known[0].page < page.number - LOOK_AHEAD:
            known.popleft()
        return page, edges, others

    for number in range(file.page_count):
        page = read_page(file.handle, number, file.form)
        edges = edges_of(page)
        waiting.append((page, edges))
        known.append(edges)
        if len(waiting) > LOOK_AHEAD:
            yield first()
    while waiting:
        yield first()


def _read(
    page: Page,
    edges: PageEdges,
    others: list[PageEdges],
    layout: PageLayout,
    typography: Typography,
) -> PageFacts:
    has_text = bool(page.words)
    furniture = take_out(page, furniture_of(edges, others))
    if not page.turn and is_vertical(page.words):
        turn_upright(page)
        for line, _ in furniture:
            _turn_line(line, page)
    paragraphs: list[Paragraph] = []
    for region in layout.regions(page):
        typography.learn(region)
        paragraphs += paragraphs_of(region)
    for line, role in furniture:
        paragraphs.append(Paragraph([line], role, left=line.left, right=line.right))
    for paragraph in paragraphs:
        for line in paragraph.lines:
            line.places = _places_of(line)
            del line.words[1:], line.word_starts[:]
    is_picture = not has_text and (page.has_pictures or page.has_unmapped_text)
    return PageFacts(paragraphs, has_text, is_picture, page.file_top, page.turn, page.width, page.height)


def _places_of(line: Line) -> "array[float]":
    places = array("f")
    for word, start in zip(line.words, line.word_starts, strict=True):
        if start >= 0:
            places.extend((start, word.left, word.right))
    return places


def _turn_line(line: Line, page: Page) -> None:
    """Furniture was found before the page was turned; its place follows."""
    left, top, right, bottom = line.left, line.top, line.right, line.bottom
    line.left, line.right = top, bottom
    line.top, line.bottom = page.height - right, page.height - left
