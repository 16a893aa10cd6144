"""Where each word of a block stands on its page."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from books.reading import Reading, read
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from compute_worker.documents.model import Block, PageLine
from compute_worker.documents.pdf import document

FONT, SIZE = "Helvetica", 12.0
LINES = ("Every word of these lines stands where a ruler", "would find it, and nowhere else on the paper.")


def page_of(*lines: str, left: float = 72.0, top: float = 700.0, turn: int = 0) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=(612, 792), pageCompression=0)
    canvas.setPageRotation(turn)
    canvas.setFont(FONT, SIZE)
    for number, line in enumerate(lines):
        canvas.drawString(left, top - 14 * number, line)
    canvas.showPage()
    canvas.save()
    return target.getvalue()


def words_of(block: Block) -> Iterator[tuple[str, PageLine, float, float]]:
    """Each word's text as far as the next one begins, with its line and its edges."""
    ends = [line.start for line in block.page_lines[1:]] + [len(block.text)]
    for line, end in zip(block.page_lines, ends, strict=True):
        starts = [line.start + start for start in line.word_starts]
        for number, (start, stop) in enumerate(zip(starts, [*starts[1:], end], strict=True)):
            first, last = line.word_edges[2 * number : 2 * number + 2]
            yield block.text[start:stop].strip(), line, first, last


def read_one(pdf: bytes) -> Reading:
    return read(document.parse, pdf)


def test_each_word_has_the_edges_with_which_it_was_set() -> None:
    found = [
        (word, first, last)
        for block in read_one(page_of(*LINES)).blocks
        for word, _, first, last in words_of(block)
    ]
    expected = []
    for line in LINES:
        for number, word in enumerate(line.split()):
            before = " ".join(line.split()[:number])
            left = 72 + stringWidth(f"{before} " if before else "", FONT, SIZE)
            expected.append((word, left, left + stringWidth(word, FONT, SIZE)))
    assert [word for word, _, _ in found] == [word for word, _, _ in expected]
    for (_, *edges), (_, *set_at) in zip(found, expected, strict=True):
        assert edges == pytest.approx(set_at, abs=0.6)


def test_a_bullet_is_no_word_of_its_item() -> None:
    items = [
        f"\u2022 {line}" for line in ("First things come first", "Second ones come after", "Third ones last")
    ]
    blocks = read_one(page_of(*items)).blocks
    assert [word for block in blocks for word, *_ in words_of(block)] == [
        word for item in items for word in item.split()[1:]
    ]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_words_of_a_turned_page_stand_on_the_page_as_it_is_shown(turn: int) -> None:
    reading = read_one(page_of(*LINES * 4, left=150, top=480, turn=turn))
    size = reading.document.pages[0]
    for block in reading.blocks:
        for word, line, first, last in words_of(block):
            assert word
            assert line.is_vertical is (turn % 180 == 90)
            assert line.right < size.width
            assert line.bottom < size.height
            near, far = (line.top, line.bottom) if line.is_vertical else (line.left, line.right)
            assert near - 0.2 <= first < last <= far + 0.2


@pytest.mark.parametrize(
    "name",
    ["two-col-tracemonkey", "rtl-hebrew", "cjk-chinese-tables", "optional-hyphen", "rotated-0-90-180-270"],
)
def test_words_of_a_real_file_follow_each_other_inside_of_their_lines(samples: Path, name: str) -> None:
    reading = read_one((samples / f"pdf/{name}.pdf").read_bytes())
    joined = total = 0
    for block in reading.blocks:
        for line in block.page_lines:
            assert line.page < len(reading.document.pages)
            assert len(line.word_edges) == 2 * len(line.word_starts)
            assert list(line.word_starts) == sorted(set(line.word_starts))
        for word, line, first, last in words_of(block):
            near, far = (line.top, line.bottom) if line.is_vertical else (line.left, line.right)
            assert word
            assert near - 0.2 <= first <= last <= far + 0.2
            total += 1
            joined += " " in word
    assert joined <= total * 0.002
    for summary, section in zip(reading.document.sections, reading.sections, strict=True):
        pages = {line.page for block in section.blocks for line in block.page_lines}
        assert (min(pages), max(pages)) == (summary.first_page, summary.last_page)
