"""Where the lines of a block and their words stand on the page as it is shown."""

from compute_worker.documents.model import PageLine
from compute_worker.documents.pdf.glyphs import HYPHEN
from compute_worker.documents.pdf.model import Line
from compute_worker.documents.pdf.reading import PageFacts


def placed_line(line: Line, page: PageFacts, *, start: int, end: int, indent: int = 0) -> PageLine:
    """start and end: of the line in the block's text; negative where the block leaves out how its first line
    begins, such as a bullet. indent: letters that the block has before the line's own."""
    begin, end = max(0, start), max(0, end)
    soft = [place for place, letter in enumerate(line.text[:-1]) if letter == HYPHEN]
    starts: list[int] = []
    edges: list[float] = []
    for number in range(0, len(line.places), 3):
        in_line = int(line.places[number])
        gone = sum(1 for place in soft if place < in_line) if soft else 0
        at = start + indent + in_line - gone
        if not 0 <= at < end:
            continue
        starts.append(at - begin)
        edges += (
            round(edge, 1) for edge in page.along_line(line.places[number + 1], line.places[number + 2])
        )
    return PageLine(
        line.page,
        *page.box_as_shown(line),
        start=begin,
        word_starts=tuple(starts),
        word_edges=tuple(edges),
        is_vertical=page.turn % 2 == 1,
    )
