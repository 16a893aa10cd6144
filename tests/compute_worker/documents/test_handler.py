import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from books.epubs import PNG, epub

from compute_worker.documents.artifacts import (
    document_key,
    load_document,
    load_section,
    reading_ref_of,
    section_key,
    source_key,
)
from compute_worker.documents.handler import DocumentHandler
from compute_worker.documents.parser_process import ParserLimits, ParserProcess
from compute_worker.documents.passwords import DocumentPasswords
from compute_worker.operations.ports import Job
from shared.errors import LecternError
from shared.objects.memory_store import MemoryStore
from shared.objects.ports import ObjectNotFoundError

BOOK = epub(
    {"a.xhtml": '<p>First. Second.</p><img src="i.png" alt="Pic."/>', "b.xhtml": "<p>Third.</p>"},
    others={"OPS/i.png": PNG},
)


class Progress:
    def __init__(self) -> None:
        self.told: list[tuple[str, int, int]] = []

    async def report(self, *, phase: str, done: int, total: int = 0) -> None:
        self.told.append((phase, done, total))


class RecordingStore(MemoryStore):
    def __init__(self) -> None:
        super().__init__()
        self.written: list[str] = []

    async def put_stream(self, key: str, chunks: object, *, content_type: str) -> int:
        self.written.append(f"{key} {content_type}")
        return await super().put_stream(key, chunks, content_type=content_type)  # type: ignore[arg-type]


def job_for(content: bytes, source_format: str = "epub") -> Job:
    digest = hashlib.sha256(content).hexdigest()
    return Job(
        operation_id="1",
        attempt=1,
        arguments={"sha256": digest, "format": source_format, "file_name": "A book.epub"},
    )


async def stored(content: bytes) -> RecordingStore:
    store = RecordingStore()
    await store.put(source_key(hashlib.sha256(content).hexdigest()), content)
    return store


def handler(store: MemoryStore, tmp_path: Path) -> DocumentHandler:
    return DocumentHandler(
        store=store,
        passwords=DocumentPasswords(secret="secret"),
        parser=ParserProcess(limits=ParserLimits(wall_seconds=60)),
        temporary_folder=tmp_path,
    )


async def test_a_stored_file_becomes_stored_artifacts_the_document_last(tmp_path: Path) -> None:
    store, progress = await stored(BOOK), Progress()
    ref = await handler(store, tmp_path).run(job_for(BOOK), progress)
    assert ref == reading_ref_of(hashlib.sha256(BOOK).hexdigest(), "epub")
    assert store.written[0].endswith(".png image/png")
    assert store.written[1:] == [
        f"{section_key(ref, 0)} application/gzip",
        f"{section_key(ref, 1)} application/gzip",
        f"{document_key(ref)} application/gzip",
    ]
    document = await load_document(store, ref)
    assert (document.sentence_count, len(document.sections)) == (4, 2)
    section = await load_section(store, ref, 1)
    assert [(part.ordinal, part.start, part.end) for part in section.blocks[0].sentences] == [(3, 0, 6)]
    assert section.blocks[0].language == "en"
    assert _phases(progress.told) == ["fetching", "reading", "storing"]
    assert progress.told[-1] == ("storing", 4, 4)
    assert _leftovers(tmp_path) == []


async def test_a_document_that_was_read_before_is_not_read_again(tmp_path: Path) -> None:
    store = await stored(BOOK)
    ref = await handler(store, tmp_path).run(job_for(BOOK), Progress())
    store.written.clear()
    assert await handler(store, tmp_path).run(job_for(BOOK), Progress()) == ref
    assert store.written == []


async def test_the_same_bytes_in_another_format_are_another_document(tmp_path: Path) -> None:
    content = b"# One\n\nTwo *three*."
    store = await stored(content)
    refs = [
        await handler(store, tmp_path).run(job_for(content, source_format), Progress())
        for source_format in ("text", "markdown", "html")
    ]
    assert len(set(refs)) == 3
    documents = [await load_document(store, ref) for ref in refs]
    assert [document.source_format for document in documents] == ["text", "markdown", "html"]


async def test_a_document_that_cannot_be_read_leaves_nothing(tmp_path: Path) -> None:
    store = await stored(b"no book")
    with pytest.raises(LecternError) as caught:
        await handler(store, tmp_path).run(job_for(b"no book"), Progress())
    assert caught.value.reason == "NOT_AN_EPUB"
    assert store.written == []
    assert _leftovers(tmp_path) == []


async def test_a_file_that_is_gone_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(ObjectNotFoundError):
        await handler(MemoryStore(), tmp_path).run(job_for(BOOK), Progress())


@pytest.mark.parametrize(
    "arguments", [{}, {"sha256": "../../x", "format": "epub"}, {"sha256": "0" * 64, "format": "exe"}]
)
async def test_arguments_that_make_no_sense_are_refused(tmp_path: Path, arguments: dict[str, object]) -> None:
    with pytest.raises(LecternError) as caught:
        await handler(MemoryStore(), tmp_path).run(
            Job(operation_id="1", attempt=1, arguments=arguments), Progress()
        )
    assert caught.value.reason == "FORMAT_UNSUPPORTED"


def _leftovers(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def _phases(told: Sequence[tuple[str, int, int]]) -> list[str]:
    return list(dict.fromkeys(phase for phase, _, _ in told))
