"""Damaged bytes: every input ends in a document or a clear error, and nothing else."""

import random
from pathlib import Path

import pytest
from books.reading import load

from bench.pdf.specimens import article, slides
from compute_worker.documents.parser_process import ParserLimits, ParserProcess
from shared.errors import Code, LecternError

LIMITS = ParserLimits(wall_seconds=30, cpu_seconds=10)
EXPECTED = {"PDF_DAMAGED", "NO_READABLE_TEXT", "PASSWORD_REQUIRED"}


async def ignore(phase: str, done: int, total: int) -> None:
    pass


def prepared(folder: Path, content: bytes) -> tuple[Path, Path]:
    source, artifacts = folder / "source", folder / "artifacts"
    artifacts.mkdir(parents=True)
    source.write_bytes(content)
    return source, artifacts


async def outcome(folder: Path, content: bytes) -> str:
    source, artifacts = prepared(folder, content)
    try:
        await ParserProcess(limits=LIMITS).parse(
            path=source, folder=artifacts, source_format="pdf", file_name="x.pdf", on_progress=ignore
        )
    except LecternError as error:
        return error.reason if error.code is Code.INVALID_ARGUMENT else repr(error)
    assert load(artifacts).blocks
    return "read"


def mutated(source: random.Random, content: bytes) -> bytes:
    body = bytearray(content)
    for _ in range(source.choice([1, 20, 300])):
        place = source.randrange(len(body))
        match source.randrange(3):
            case 0:
                body[place] = source.randrange(256)
            case 1:
                del body[place : place + source.randrange(1, 40)]
            case _:
                body[place:place] = source.randbytes(source.randrange(1, 20))
    return bytes(body[: source.randrange(len(body))]) if source.random() < 0.2 else bytes(body)


async def test_mutated_files_end_in_a_document_or_a_clear_error(tmp_path: Path) -> None:
    source = random.Random(20)
    originals = [slides(source).pdf, article(source, sections=2).pdf]
    for number in range(10):
        content = mutated(source, originals[number % 2])
        assert await outcome(tmp_path / str(number), content) in EXPECTED | {"read"}


@pytest.mark.parametrize("content", [b"%PDF-1.4", b"%PDF-1.4\n%%EOF", b"%PDF-1.7\n" + bytes(5000)])
async def test_what_is_no_pdf_behind_its_first_bytes_is_damaged(tmp_path: Path, content: bytes) -> None:
    assert await outcome(tmp_path / "job", content) == "PDF_DAMAGED"
