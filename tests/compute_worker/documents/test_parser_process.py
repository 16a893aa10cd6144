"""The process that reads hostile files, and how each of its ends is told."""

import asyncio
import contextlib
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from books.epubs import epub
from books.reading import load

from compute_worker.documents.parser_process import OnProgress, ParserLimits, ParserProcess
from shared.errors import Code, LecternError

MB = 1024 * 1024
LIMITS = ParserLimits(wall_seconds=60, cpu_seconds=60, memory_bytes=2048 * MB, output_bytes=100 * MB)
LONG_TEXT = b"It was a dark night and the rain fell in torrents on the roofs. " * 150_000


async def ignore(phase: str, done: int, total: int) -> None:
    pass


async def parse(
    tmp_path: Path,
    content: bytes,
    *,
    source_format: str = "text",
    limits: ParserLimits = LIMITS,
    on_progress: OnProgress = ignore,
) -> Path:
    source, folder = tmp_path / "source", tmp_path / "artifacts"
    source.write_bytes(content)
    folder.mkdir()
    await ParserProcess(limits=limits).parse(
        path=source, folder=folder, source_format=source_format, file_name="x", on_progress=on_progress
    )
    return folder


def children() -> list[int]:
    """Parsers of ours; other tests of this process may have servers running beside them."""
    pids = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [int(pid) for pid in pids if b"documents.child" in command_of(int(pid))]


def command_of(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""  # ended meanwhile


def given(pid: int) -> bytes:
    return b"".join(Path(f"/proc/{pid}/{file}").read_bytes() for file in ("environ", "cmdline"))


async def error_of(tmp_path: Path, content: bytes, **others: object) -> LecternError:
    before = children()
    with pytest.raises(LecternError) as caught:
        await parse(tmp_path, content, **others)  # type: ignore[arg-type]
    assert children() == before
    return caught.value


async def test_a_book_is_read_and_progress_told(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []

    async def keep(phase: str, done: int, total: int) -> None:
        told.append((phase, done, total))

    book = epub({"a.xhtml": "<p>A</p>", "b.xhtml": "<p>B</p>"})
    folder = await parse(tmp_path, book, source_format="epub", on_progress=keep)
    assert load(folder).texts() == ["A", "B"]
    assert told == [("reading", 1, 2), ("reading", 2, 2)]
    assert children() == []


async def test_what_the_parser_refuses_arrives_as_it_was_said(tmp_path: Path) -> None:
    error = await error_of(tmp_path, b"%PDF-1.4", source_format="epub")
    assert (error.code, error.reason, error.retryable) == (Code.INVALID_ARGUMENT, "NOT_AN_EPUB", False)
    assert "PDF" in error.message


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (replace(LIMITS, wall_seconds=0.3), "DOCUMENT_TOO_SLOW"),
        (replace(LIMITS, cpu_seconds=1), "DOCUMENT_TOO_SLOW"),
        (replace(LIMITS, memory_bytes=180 * MB), "DOCUMENT_TOO_COMPLEX"),
        (replace(LIMITS, output_bytes=10_000), "DOCUMENT_TOO_LARGE"),
    ],
)
async def test_a_file_that_asks_for_too_much_is_told_what_of(
    tmp_path: Path, limits: ParserLimits, reason: str
) -> None:
    error = await error_of(tmp_path, LONG_TEXT, limits=limits)
    assert (error.code, error.reason, error.retryable) == (Code.RESOURCE_EXHAUSTED, reason, False)


@pytest.mark.parametrize(("number", "retryable"), [(signal.SIGSEGV, False), (signal.SIGKILL, True)])
async def test_a_parser_that_dies_is_a_clear_error(tmp_path: Path, number: int, retryable: bool) -> None:
    async def kill(phase: str, done: int, total: int) -> None:
        (child,) = children()
        os.kill(child, number)

    error = await error_of(tmp_path, LONG_TEXT, on_progress=kill)
    assert (error.code, error.reason, error.retryable) == (Code.INTERNAL, "PARSER_FAILED", retryable)


async def test_cancelling_ends_the_process(tmp_path: Path) -> None:
    started = asyncio.Event()

    async def tell(phase: str, done: int, total: int) -> None:
        started.set()

    task = asyncio.create_task(parse(tmp_path, LONG_TEXT, on_progress=tell))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert children() == []


async def test_the_process_is_given_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S3_SECRET_ACCESS_KEY", "very-secret")
    seen: list[bytes] = []

    async def look(phase: str, done: int, total: int) -> None:
        seen.extend(given(child) for child in children())

    await parse(tmp_path, b"Text.", on_progress=look)
    assert seen
    assert b"very-secret" not in b"".join(seen)
