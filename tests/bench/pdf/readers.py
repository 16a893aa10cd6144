"""Ways to read a PDF, to be compared; all but ours are used only where they are installed."""

import importlib.util
import io
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from books.reading import artifact_folder, load

from bench.pdf.scorer import FoundBlock
from compute_worker.documents.pdf import document

Reader = Callable[[bytes], list[FoundBlock]]


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


def installed() -> Iterator[tuple[str, Reader]]:
    yield "lectern", lectern
    if importlib.util.find_spec("pymupdf4llm"):
        yield "pymupdf4llm", _pymupdf
    if importlib.util.find_spec("pdfminer"):
        yield "pdfminer.six", _pdfminer
    if shutil.which("pdftotext"):
        yield "pdftotext", _pdftotext


def _paragraphs(text: str) -> list[FoundBlock]:
    return [
        FoundBlock("paragraph", part) for part in text.replace("\f", "\n\n").split("\n\n") if part.strip()
    ]


def _pdfminer(pdf: bytes) -> list[FoundBlock]:
    pdfminer = importlib.import_module("pdfminer.high_level")
    return _paragraphs(pdfminer.extract_text(io.BytesIO(pdf)))


def _pymupdf(pdf: bytes) -> list[FoundBlock]:
    pymupdf, writer = importlib.import_module("pymupdf"), importlib.import_module("pymupdf4llm")
    found = []
    for block in _paragraphs(writer.to_markdown(pymupdf.open(stream=pdf, filetype="pdf"))):
        text = block.text.strip()
        role = "heading" if text.startswith("#") else "list_item" if text.startswith("- ") else "paragraph"
        found.append(FoundBlock(role, text))
    return found


def _pdftotext(pdf: bytes) -> list[FoundBlock]:
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(pdf)
        file.flush()
        done = subprocess.run(["pdftotext", file.name, "-"], capture_output=True, check=True)
    return _paragraphs(done.stdout.decode(errors="replace"))
