"""Generated documents with known text, held to the bars of the design. `make bench` prints the figures."""

import random

import pytest
from books.reading import read

from bench.pdf.readers import lectern
from bench.pdf.scorer import FoundBlock, score
from bench.pdf.specimens import SPECIMENS, article, vertical
from bench.pdf.tables import TABLES
from compute_worker.documents.pdf import document

SEED = 11


@pytest.mark.parametrize("make", [*SPECIMENS, *TABLES], ids=lambda make: make.__name__)
def test_a_kind_of_document_reaches_its_bars(make: object) -> None:
    specimen = make(random.Random(SEED))  # type: ignore[operator]
    reached = score(specimen, lectern(specimen.pdf))
    assert reached.order >= 0.985
    assert reached.furniture <= 0.005
    assert reached.starts >= 0.96
    assert reached.roles >= 0.94


def test_the_order_of_drawing_does_not_matter() -> None:
    drawn = article(random.Random(SEED))
    shuffled = article(random.Random(SEED), is_scrambled=True)
    assert [block.text for block in lectern(drawn.pdf)] == [block.text for block in lectern(shuffled.pdf)]


def test_the_scorer_sees_faults() -> None:
    specimen = article(random.Random(SEED))
    blocks = [FoundBlock("paragraph", block.text) for block in reversed(specimen.truth)]
    blocks += [FoundBlock("paragraph", line) for line in specimen.furniture]
    reached = score(specimen, blocks)
    assert reached.order < 0.5
    assert reached.furniture > 0.9
    assert reached.roles < 0.8


def test_the_place_of_a_vertical_line_is_that_on_the_page_as_it_is_shown() -> None:
    specimen = vertical(random.Random(SEED))
    first = read(document.parse, specimen.pdf).blocks[0]
    line, second = first.page_lines[:2]
    assert line.bottom - line.top > 300
    assert line.right - line.left < 30
    assert line.right > 360 > line.left
    assert second.right < line.right
