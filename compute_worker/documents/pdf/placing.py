"""Where the lines of a block and their words stand on the page as it is shown."""

from compute_worker.documents.model import PageLine
from compute_worker.documents.pdf.glyphs import HYPHEN
from compute_worker.documents.pdf.model import Line
from compute_worker.documents.pdf.reading import PageFacts


def placed_line(line: Line, page: PageFacts, *, start: int, end: int, indent: int = 0) -> PageLine:
    """start and end: of the line in the block's text; negative where the block leaves out how its first line
    begins, such as a bullet. indent: letters that the block has before the line's own."""
    begin, end = max(0, start), max(0, end)
    lefts, rights = line.places[1::3], line.places[2::3]
    starts = [start + indent + int(in_line) for in_line in line.places[0::3]]
    if HYPHEN in line.text[:-1]:
        starts = [at - line.text.count(HYPHEN, 0, at - start - indent) for at in starts]
    shown = [number for number, at in enumerate(starts) if 0 <= at < end]
    edges = [edge for number in shown for edge in page.along_line(lefts[number], rights[number])]
    return PageLine(
        line.page,
        *page.box_as_shown(line),
        start=begin,
        word_starts=tuple([starts[number] - begin for number in shown]),
        word_edges=tuple([round(edge, 1) for edge in edges]),
        is_vertical=page.turn % 2 == 1,
    )
