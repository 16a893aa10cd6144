"""Tables without tags: cells whose text goes on over several lines are read whole, row by row."""

import io
from collections.abc import Sequence

import pytest
from books.reading import read
from reportlab.pdfgen.canvas import Canvas

from compute_worker.documents.model import BlockRole
from compute_worker.documents.pdf import document

LEADING = 12
Text = tuple[float, float, str]
Line = tuple[float, float, float, float]


def drawn(texts: Sequence[Text], lines: Sequence[Line] = ()) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=(612, 792))
    canvas.setFont("Helvetica", 10)
    for x, y, text in texts:
        canvas.drawString(x, y, text)
    for line in lines:
        canvas.line(*line)
    canvas.save()
    return target.getvalue()


def cell(x: float, y: float, *lines: str) -> list[Text]:
    return [(x, y - LEADING * number, line) for number, line in enumerate(lines)]


def rows_of(texts: Sequence[Text], lines: Sequence[Line] = ()) -> list[str]:
    return read(document.parse, drawn(texts, lines)).texts(BlockRole.TABLE)


def grid(xs: Sequence[float], ys: Sequence[float]) -> list[Line]:
    return [(xs[0], y, xs[-1], y) for y in ys] + [(x, ys[0], x, ys[-1]) for x in xs]


RIVERS = [
    "River\nLong, slow and wide in all of its parts",
    "Brook\nShort, quick and narrow; it is cold as well",
    "Lake\nStill",
]


def rivers(down: float) -> list[Text]:
    """Rows, each so much lower than the one before."""
    return [
        *cell(76, 700, "River"), *cell(200, 700, "Long, slow and wide", "in all of its parts"),
        *cell(76, 700 - down, "Brook"),
        *cell(200, 700 - down, "Short, quick and", "narrow; it is cold as", "well"),
        *cell(76, 688 - 2 * down, "Lake"), *cell(200, 688 - 2 * down, "Still"),
    ]  # fmt: skip


@pytest.mark.parametrize("down", [2 * LEADING, 2 * LEADING + 8])
def test_what_goes_on_below_an_empty_cell_belongs_to_the_row(down: float) -> None:
    assert rows_of(rivers(down)) == RIVERS


def test_lines_between_rows_part_them() -> None:
    texts = [
        *cell(76, 700, "The river that", "runs to the sea"),
        *cell(200, 700, "Long, slow and wide", "and deep"),
        *cell(76, 670, "A brook that is", "cold"), *cell(200, 670, "Short, quick and", "narrow"),
        *cell(76, 640, "Some of the", "lakes of the north"), *cell(200, 640, "Still and clear and", "blue"),
    ]  # fmt: skip
    assert rows_of(texts, [(72, y, 320, y) for y in (714, 683, 653, 623)]) == [
        "The river that runs to the sea\nLong, slow and wide and deep",
        "A brook that is cold\nShort, quick and narrow",
        "Some of the lakes of the north\nStill and clear and blue",
    ]


def test_a_cell_over_several_columns_or_rows_of_a_grid_is_read_once() -> None:
    texts = [
        *cell(76, 700, "Waters of the north,", "by how they move"),
        *cell(76, 660, "Running"), *cell(150, 660, "River"), *cell(150, 640, "Brook"),
        *cell(76, 620, "Still"), *cell(150, 620, "Lake"),
    ]  # fmt: skip
    lines = [line for line in grid((72, 146, 250), (714, 676, 634, 614)) if line[0] != 146]
    lines += [(146, 676, 146, 614), (146, 654, 250, 654)]
    assert rows_of(texts, lines) == [
        "Waters of the north, by how they move",
        "Running\nRiver",
        "Brook",
        "Still\nLake",
    ]


def test_a_grid_around_columns_of_text_is_no_table() -> None:
    left = [f"line {number} of the text at the left side" for number in range(30)]
    right = [f"line {number} of the text at the right side" for number in range(30)]
    texts = [
        *cell(76, 700, *left),
        *cell(330, 700, *right),
        *cell(76, 730, "One head"),
        *cell(330, 730, "Other head"),
    ]
    assert rows_of(texts, grid((72, 310, 560), (745, 720, 320))) == []


def test_lists_side_by_side_are_read_one_after_the_other() -> None:
    left = [f"• left item {number} which has some words" for number in range(4)]
    right = [f"• right item {number} which has some words" for number in range(4)]
    reading = read(document.parse, drawn([*cell(72, 700, *left), *cell(330, 700, *right)]))
    assert [block.text.split()[0] for block in reading.blocks] == ["left"] * 4 + ["right"] * 4


def test_lines_beside_a_tall_word_do_not_run_into_each_other() -> None:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=(612, 792))
    canvas.setFont("Helvetica-Bold", 30)
    canvas.drawString(72, 700, "1040")
    canvas.setFont("Helvetica", 9)
    canvas.drawString(160, 714, "Department of all the rivers")
    canvas.drawString(160, 701, "Report on the brooks of a year")
    canvas.save()
    texts = read(document.parse, target.getvalue()).texts()
    assert " ".join(texts) == "Department of all the rivers 1040 Report on the brooks of a year"
