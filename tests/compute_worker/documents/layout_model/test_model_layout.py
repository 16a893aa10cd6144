import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from books.layout_detectors import HEIGHT, LABELS, WIDTH, Place, write_detector
from books.reading import Reading, load, read
from reportlab.pdfgen.canvas import Canvas

from compute_worker.documents.layout_model.box_order import in_reading_order
from compute_worker.documents.layout_model.decoding import Box
from compute_worker.documents.layout_model.detector import LayoutDetector
from compute_worker.documents.layout_model.model_layout import ModelLayout
from compute_worker.documents.layout_model.settings import read_settings
from compute_worker.documents.model import BlockRole
from compute_worker.documents.parser_process import ParserLimits, ParserProcess
from compute_worker.documents.pdf.document import parse
from compute_worker.documents.pdf.extraction import read_page
from compute_worker.documents.pdf.file import open_pdf
from shared.errors import LecternError

OUTPUTS = ["rows", "ordered rows", "queries", "anchors"]
PAGE_WIDTH, PAGE_HEIGHT = 600, 800
# What a model may see and geometry can't: all of it is of one size, and the right column is read first.
PLACES = [
    Place("doc_title", 0.1, 0.05, 0.9, 0.09, 0),
    Place("text", 0.05, 0.15, 0.45, 0.45, 2),
    Place("text", 0.55, 0.15, 0.95, 0.45, 1),
    Place("table", 0.05, 0.55, 0.95, 0.68, 3),
    Place("footnote", 0.05, 0.75, 0.95, 0.85, 4),
    Place("number", 0.4, 0.94, 0.6, 0.98, 5),
    Place("image", 0.05, 0.87, 0.95, 0.92, 6),  # nothing is there
]


def page(canvas: Canvas, mark: str) -> None:
    def write(x: float, y: float, *lines: str) -> None:
        for number, line in enumerate(lines):
            canvas.drawString(x * PAGE_WIDTH, PAGE_HEIGHT * (1 - y) - 12 * number, line)

    canvas.setFont("Helvetica", 10)
    write(0.3, 0.08, f"On the river {mark} and what it took away")
    write(0.06, 0.18, *(f"Left column {mark}, line {n} of the text here." for n in range(16)))
    write(0.56, 0.18, *(f"Right column {mark}, line {n} of it all." for n in range(16)))
    for row in range(6):
        for column, x in enumerate((0.1, 0.4, 0.7)):
            write(x, 0.57 + row * 0.018, f"cell {row}.{column} {mark}")
    write(0.06, 0.77, *(f"A note {mark} on what was said above, which goes on for {n}" for n in range(5)))
    write(0.45, 0.965, "page seventeen")
    canvas.showPage()


def document(*marks: str) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(PAGE_WIDTH, PAGE_HEIGHT))
    for mark in marks:
        page(canvas, mark)
    canvas.save()
    return buffer.getvalue()


def laid_out(content: bytes, folder: Path, *, seconds: float = 60) -> Reading:
    def by_model(path: Path, output: Any, *, file_name: str) -> None:
        parse(path, output, file_name=file_name, layout_folder=str(folder), layout_seconds=seconds)

    return read(by_model, content)


@pytest.mark.parametrize("output", OUTPUTS)
def test_each_kind_of_output_is_understood(tmp_path: Path, output: str) -> None:
    write_detector(tmp_path, PLACES, output=output)
    picture = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    picture[int(0.15 * HEIGHT) : int(0.45 * HEIGHT), int(0.55 * WIDTH) : int(0.95 * WIDTH)] = 0
    (box,) = LayoutDetector(tmp_path).boxes(picture)
    assert (box.label, box.order) == ("text", 1 if output == "ordered rows" else None)
    corners = [box.left, box.top, box.right, box.bottom]
    assert corners == pytest.approx([0.55, 0.15, 0.95, 0.45], abs=0.001)
    assert box.score > 0.99


def test_the_models_classes_and_order_are_those_of_the_text(tmp_path: Path) -> None:
    write_detector(tmp_path, PLACES, output="ordered rows")
    book = laid_out(document("one"), tmp_path)
    assert book.document.layout is not None
    assert (book.document.layout.model, book.document.layout.model_pages) == ("Tiny detector", 1)
    assert book.document.layout.reason == ""
    kinds = [(block.role, block.text[:8]) for block in book.blocks if block.role is not BlockRole.TABLE]
    assert kinds == [
        (BlockRole.TITLE, "On the r"),
        (BlockRole.PARAGRAPH, "Right co"),
        (BlockRole.PARAGRAPH, "Left col"),
        (BlockRole.FOOTNOTE, "A note o"),
        (BlockRole.PAGE_NUMBER, "page sev"),
    ]
    assert book.texts(BlockRole.TABLE)[2].split() == "cell 2.0 one cell 2.1 one cell 2.2 one".split()


def test_without_an_order_of_its_own_boxes_are_read_by_their_gaps(tmp_path: Path) -> None:
    write_detector(tmp_path, PLACES, output="queries")
    texts = laid_out(document("one"), tmp_path).texts(BlockRole.PARAGRAPH)
    assert [text[:4] for text in texts] == ["Left", "Righ"]


def test_words_outside_of_all_boxes_are_kept(tmp_path: Path) -> None:
    write_detector(tmp_path, [place for place in PLACES if place.label != "footnote"], output="anchors")
    book = laid_out(document("one"), tmp_path)
    assert book.document.layout
    assert book.document.layout.model_pages == 1
    assert any("A note one on what was said above" in text for text in book.texts())


def test_pages_that_the_model_misses_are_laid_out_by_geometry(tmp_path: Path) -> None:
    write_detector(tmp_path, PLACES, output="queries")
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(PAGE_WIDTH, PAGE_HEIGHT))
    page(canvas, "one")
    for number in range(9):  # in the margins, where no box is
        canvas.drawString(20 + 60 * number, PAGE_HEIGHT * (1 - 0.12), f"Astray {number}")
    canvas.showPage()
    canvas.save()
    book = laid_out(buffer.getvalue(), tmp_path)
    assert book.document.layout
    assert (book.document.layout.model, book.document.layout.model_pages) == ("Tiny detector", 1)
    assert book.document.layout.reason == "1 page: The layout model missed too much of the text."
    assert any("Astray" in text for text in book.texts())


def test_once_the_time_is_used_up_geometry_goes_on(tmp_path: Path) -> None:
    write_detector(tmp_path, PLACES, output="rows")
    source = tmp_path / "source.pdf"
    source.write_bytes(document("one", "two"))
    times = iter([0.0, 1.0, 11.0, 12.0])
    with open_pdf(source) as file:
        layout = ModelLayout(document=file.handle, folder=tmp_path, seconds=10, clock=lambda: next(times))
        for number in range(2):
            assert layout.regions(read_page(file.handle, number))
    record = layout.record()
    assert record.model_pages == 1
    assert record.reason == "1 page: The layout model would have taken too long."


def broken(folder: Path, how: str) -> None:
    write_detector(folder, PLACES, output="rows")
    about = json.loads((folder / "layout.json").read_text())
    match how:
        case "no layout.json":
            (folder / "layout.json").unlink()
        case "not onnxruntime":
            (folder / "model.onnx").write_bytes(b"no model at all")
        case "label 'unheard-of'":
            (folder / "layout.json").write_text(json.dumps(about | {"labels": [*LABELS[1:], "unheard-of"]}))
        case "inputWidth":
            (folder / "layout.json").write_text(json.dumps(about | {"inputWidth": 0}))
        case "shape":
            (folder / "layout.json").write_text(json.dumps(about | {"output": "anchors"}))
        case "failed on a page":
            (folder / "layout.json").write_text(json.dumps(about | {"inputWidth": 64}))


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("no layout.json", "no layout.json"),
        ("not onnxruntime", "onnxruntime can't load it"),
        ("label 'unheard-of'", "'unheard-of'"),
        ("inputWidth", "inputWidth"),
        ("shape", "shape"),
        ("failed on a page", "failed on a page"),
    ],
)
def test_a_model_that_cannot_be_used_leaves_the_document_to_geometry(
    tmp_path: Path, how: str, told: str
) -> None:
    broken(tmp_path, how)
    book = laid_out(document("one"), tmp_path)
    assert book.document.layout
    assert book.document.layout.model_pages == 0
    assert told in book.document.layout.reason
    assert any(text.startswith("Left column one") for text in book.texts())


def test_without_a_model_that_is_said() -> None:
    layout = read(parse, document("one")).document.layout
    assert layout
    assert "PDF_LAYOUT_MODEL_BASE_URL" in layout.reason


async def test_the_model_runs_within_the_limits_of_the_parsers_process(tmp_path: Path) -> None:
    model, source, folder = tmp_path / "model", tmp_path / "source.pdf", tmp_path / "artifacts"
    model.mkdir()
    folder.mkdir()
    write_detector(model, PLACES, output="ordered rows")
    source.write_bytes(document("one"))

    async def ignore(_phase: str, _done: int, _total: int) -> None:
        """Nobody watches."""

    await ParserProcess(limits=ParserLimits(wall_seconds=60)).parse(
        path=source,
        folder=folder,
        source_format="pdf",
        file_name="x.pdf",
        on_progress=ignore,
        options={"layout_folder": str(model), "layout_seconds": 30.0},
    )
    layout = load(folder).document.layout
    assert layout
    assert (layout.model, layout.model_pages, layout.reason) == ("Tiny detector", 1, "")


def box(left: float, top: float, right: float, bottom: float) -> Box:
    return Box("text", 1.0, left, top, right, bottom)


def test_columns_are_read_down_and_right_to_left_where_the_script_is() -> None:
    title, footer = box(0.1, 0.02, 0.9, 0.08), box(0.1, 0.92, 0.9, 0.95)
    left = [box(0.1, 0.1, 0.45, 0.4), box(0.1, 0.45, 0.45, 0.9)]
    right = [box(0.55, 0.1, 0.9, 0.4), box(0.55, 0.45, 0.9, 0.9)]  # whose gap is that of the left
    boxes = [right[1], footer, left[1], right[0], title, left[0]]
    assert in_reading_order(boxes, is_rtl=False) == [title, *left, *right, footer]
    assert in_reading_order(boxes, is_rtl=True) == [title, *right, *left, footer]


def test_settings_name_what_is_wrong(tmp_path: Path) -> None:
    write_detector(tmp_path, PLACES, output="rows", std=[1.0, 0.0, 1.0])
    with pytest.raises(LecternError, match="std"):
        read_settings(tmp_path)


def test_the_guides_example_is_one(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[4] / "docs" / "layout-model.md").read_text()
    (tmp_path / "layout.json").write_text(guide.split("```json\n")[1].split("```")[0])
    assert len(read_settings(tmp_path).labels) == 23
