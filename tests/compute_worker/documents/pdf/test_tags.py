"""A tagged PDF's own structure is used where it tells more than the page, and not where it is nonsense."""

import random

import pytest
from books.reading import Reading, read
from books.tagged_pdfs import Element, Line, tagged_pdf

from bench.pdf.specimens import prose
from compute_worker.documents.model import BlockRole
from compute_worker.documents.pdf import document
from compute_worker.documents.pdf.tags import _MOST_DEPTH

LEFT = 72


def parsed(lines: list[Line], structure: Element | None) -> Reading:
    return read(document.parse, tagged_pdf(lines, structure))


def column(*texts: str, x: float = LEFT, top: float = 700, leading: float = 12) -> list[Line]:
    return [Line(text, x, top - leading * number) for number, text in enumerate(texts)]


def wrapped(sentences: int, seed: int = 5) -> list[str]:
    """Lines of 80 letters."""
    lines, line = [], ""
    for word in prose(random.Random(seed), sentences).split():
        if len(line) + len(word) > 80:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    return [*lines, line]


def test_cells_that_wrap_stay_in_their_rows() -> None:
    lines = [
        *column("River", x=72, top=700), *column("Long, slow and", "wide", x=200, top=700),
        *column("Brook", x=72, top=670), *column("Short, quick", "and narrow", x=200, top=670),
    ]  # fmt: skip
    rows = [
        Element("TR", [Element("TH", [0]), Element("TD", [Element("P", [1, 2])])]),
        Element("TR", [Element("TH", [3]), Element("TD", [4, 5])]),
    ]
    lines += column(*wrapped(6), top=600)
    text = Element("P", list(range(6, len(lines))))
    reading = parsed(lines, Element("Document", [Element("Table", [Element("TBody", rows)]), text]))
    assert reading.texts(BlockRole.TABLE) == [
        "River\nLong, slow and wide",
        "Brook\nShort, quick and narrow",
    ]


def test_what_looks_like_text_is_what_the_tags_call_it() -> None:
    kinds = ["H2", "P", "LI", "Caption", "Note", "Code", "BlockQuote"]
    lines = column(*(f"This is the {kind} of the page, as its tags say" for kind in kinds), leading=11.9)
    structure = Element("Document", [Element(kind, [number]) for number, kind in enumerate(kinds[:6])])
    structure.kids = [*structure.kids, Element("BlockQuote", [Element("P", [6])])]
    roles = {block.text.split()[3]: block.role for block in parsed(lines, structure).blocks}
    assert roles == {
        "H2": BlockRole.HEADING,
        "P": BlockRole.PARAGRAPH,
        "LI": BlockRole.LIST_ITEM,
        "Caption": BlockRole.CAPTION,
        "Note": BlockRole.FOOTNOTE,
        "Code": BlockRole.CODE,
        "BlockQuote": BlockRole.QUOTE,
    }


def test_an_items_label_and_body_are_one_item_and_an_inner_list_has_its_own() -> None:
    lines = column("a)", top=700) + column("The outer item goes on", "over two lines", x=90, top=700)
    lines += column("i)", x=90, top=676) + column("The inner one", x=110, top=676)
    inner = Element("L", [Element("LI", [Element("Lbl", [3]), Element("LBody", [4])])])
    outer = Element("LI", [Element("Lbl", [0]), Element("LBody", [Element("P", [1, 2]), inner])])
    reading = parsed(lines, Element("Document", [Element("L", [outer])]))
    assert reading.texts(BlockRole.LIST_ITEM) == [
        "a) The outer item goes on over two lines",
        "i) The inner one",
    ]


def test_what_stands_outside_of_the_structure_at_the_edge_is_not_read() -> None:
    """On a single page, where nothing repeats."""
    lines = [Line("A Running Head", 250, 770, 8), Line("17", 300, 20, 8), *column(*wrapped(8))]
    structure = Element("Document", [Element("P", list(range(2, len(lines))))])
    roles = {block.text: block.role for block in parsed(lines, structure).blocks}
    assert roles["A Running Head"] is BlockRole.HEADER
    assert roles["17"] is BlockRole.PAGE_NUMBER
    assert parsed(lines, None).texts(BlockRole.HEADER) == []


def test_a_table_that_only_numbers_texts_is_no_table() -> None:
    texts = [f"Author {number}, a book about rivers" for number in range(1, 5)]
    lines = [
        Line(text, x, 700 - 16 * row)
        for row, texts_of_row in enumerate(zip(["[1]", "[2]", "[3]", "[4]"], texts, strict=True))
        for x, text in zip((72, 96), texts_of_row, strict=True)
    ]
    rows = [Element("TR", [Element("TD", [2 * row]), Element("TD", [2 * row + 1])]) for row in range(4)]
    lines += column(*wrapped(6), top=600)
    text = Element("P", list(range(8, len(lines))))
    reading = parsed(lines, Element("Document", [Element("Table", rows), text]))
    assert reading.texts(BlockRole.TABLE) == []
    assert reading.texts()[0] == "[1] Author 1, a book about rivers"


def test_a_paragraph_that_tags_cut_in_a_sentence_is_whole() -> None:
    lines = [Line("These words stand on a line", 72, 700), Line("with others that are", 200, 700)]
    lines += column("tagged apart from them.", "Nothing is lost by that.", top=688)
    lines += column(*wrapped(6), top=600)
    kinds = [Element("LI", [0]), Element("P", [1]), Element("P", [2, 3]), Element("P", range(4, len(lines)))]
    assert parsed(lines, Element("Document", kinds)).texts()[0] == (
        "These words stand on a line with others that are tagged apart from them. Nothing is lost by that."
    )


def nonsense() -> dict[str, tuple[list[Line], Element]]:
    texts = [wrapped(5, seed) for seed in (0, 1, 2, 4, 5)]  # whose lines geometry parts rightly
    lines: list[Line] = []
    groups: list[list[int]] = []
    for number, text in enumerate(texts):
        groups.append(list(range(len(lines), len(lines) + len(text))))
        lines += column(*text, top=720 - 140 * number)
    everything = list(range(len(lines)))
    return {
        "one element for the whole page": (lines, Element("Document", [Element("P", everything)])),
        "an element for every line": (
            lines,
            Element("Document", [Element("P", [number]) for number in everything]),
        ),
        "paragraphs in the order of nothing": (
            lines,
            Element("Document", [Element("P", groups[number]) for number in (3, 1, 4, 0, 2)]),
        ),
        "all text in a figure": (lines, Element("Document", [Element("Figure", everything)])),
        "divisions only": (lines, Element("Document", [Element("Div", everything)])),
    }


@pytest.mark.parametrize("name", nonsense())
def test_tags_that_make_no_sense_change_nothing(name: str) -> None:
    lines, structure = nonsense()[name]
    assert parsed(lines, structure).texts() == parsed(lines, None).texts()
    assert len(parsed(lines, None).texts()) == 5


def test_a_structure_without_end_is_left_alone() -> None:
    lines = column(*wrapped(6))
    element = Element("P", list(range(len(lines))))
    for _ in range(_MOST_DEPTH + 5):
        element = Element("Div", [element])
    assert parsed(lines, element).texts() == parsed(lines, None).texts()
