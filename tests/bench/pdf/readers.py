"""Ways to read a PDF, to be compared. All but ours are used where they are installed."""

import importlib.util
import io
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from books.reading import artifact_folder, load

from bench.pdf.scorer import FoundBlock
from compute_worker.documents.pdf import document

_MUPDF_ROLES = {
    "title": "title",
    "section-header": "heading",
    "text": "paragraph",
    "list-item": "list_item",
    "table": "table",
    "caption": "caption",
    "footnote": "footnote",
    "page-header": "header",
    "page-footer": "footer",
    "formula": "formula",
}


@dataclass(frozen=True)
class Reader:
    name: str
    read: Callable[[bytes], list[FoundBlock]]
    is_slow: bool = False


def readers() -> Iterator[Reader]:
    """Ours first."""
    yield Reader("lectern", lectern)
    if importlib.util.find_spec("pymupdf"):
        yield Reader("pymupdf4llm", _mupdf_with_layout, is_slow=True)
    if importlib.util.find_spec("pdfminer"):
        yield Reader("pdfminer.six", _pdfminer)
    if shutil.which("pdftotext"):
        yield Reader("pdftotext", _pdftotext)


def lectern(pdf: bytes) -> list[FoundBlock]:
    with tempfile.TemporaryDirectory() as name:
        source, folder = Path(name) / "source.pdf", Path(name) / "artifacts"
        source.write_bytes(pdf)
        folder.mkdir()
        document.parse(source, artifact_folder(folder), file_name="source.pdf")
        return [FoundBlock(block.role.name.lower(), block.text) for block in load(folder).blocks]


def parse_only(pdf: bytes) -> None:
    """Without reading the artifacts again: what the time is measured of."""
    with tempfile.TemporaryDirectory() as name:
        source, folder = Path(name) / "source.pdf", Path(name) / "artifacts"
        source.write_bytes(pdf)
        folder.mkdir()
        document.parse(source, artifact_folder(folder), file_name="source.pdf")


def _paragraphs(text: str) -> list[FoundBlock]:
    return [
        FoundBlock("paragraph", part) for part in text.replace("\f", "\n\n").split("\n\n") if part.strip()
    ]


def _pdfminer(pdf: bytes) -> list[FoundBlock]:
    pdfminer = importlib.import_module("pdfminer.high_level")
    return _paragraphs(pdfminer.extract_text(io.BytesIO(pdf)))


def _mupdf_with_layout(pdf: bytes) -> list[FoundBlock]:
    """With its layout model; what it takes for furniture and notes is not held against it."""
    pymupdf, writer = importlib.import_module("pymupdf"), importlib.import_module("pymupdf4llm")
    writer.use_layout(True)
    with pymupdf.open(stream=pdf, filetype="pdf") as opened:
        content = json.loads(writer.to_json(opened, use_ocr=False))
    boxes = [box for page in content["pages"] for box in page["boxes"]]
    return [block for box in boxes for block in _blocks_of_box(box, is_first=box is boxes[0])]


def _blocks_of_box(box: dict[str, Any], *, is_first: bool) -> Iterator[FoundBlock]:
    role = _MUPDF_ROLES.get(box["boxclass"], "other")
    if box.get("table"):
        for row in box["table"].get("extract") or []:
            yield FoundBlock("table", " ".join(cell or "" for cell in row))
        return
    lines = ["".join(span["text"] for span in line["spans"]) for line in box.get("textlines") or []]
    text = ""
    for line in lines:
        text = text[:-1] + line if text.endswith("-") else f"{text} {line}"
    if text.strip():
        is_title = is_first and role == "heading" and box.get("header_level") == 1
        yield FoundBlock("title" if is_title else role, text.strip())


def _pdftotext(pdf: bytes) -> list[FoundBlock]:
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(pdf)
        file.flush()
        done = subprocess.run(["pdftotext", file.name, "-"], capture_output=True, check=True)
    return _paragraphs(done.stdout.decode(errors="replace"))
