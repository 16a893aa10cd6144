import asyncio
import gzip
import json
import os
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from books.recordings import NOT_READ, BookRecording, encoded, errors_ms

from compute_worker.documents.artifacts import document_key, reading_ref_of
from compute_worker.documents.handler import DocumentHandler
from compute_worker.documents.parser_process import ParserLimits, ParserProcess
from compute_worker.documents.passwords import DocumentPasswords
from compute_worker.operations.ports import Job
from compute_worker.playback.plans import Plans
from compute_worker.recordings.handler import AlignHandler, outline_key, recording_key
from shared.errors import LecternError
from shared.objects.memory_store import MemoryStore

RECORDING_ID = "0123456789abcdef" * 2


class Progress:
    def __init__(self) -> None:
        self.told: list[tuple[str, int, int]] = []
        self.is_aligning = asyncio.Event()

    async def report(self, *, phase: str, done: int, total: int = 0) -> None:
        self.told.append((phase, done, total))
        if phase == "aligning":
            self.is_aligning.set()


class Desk:
    """A store with a parsed book, and what aligns recordings of it."""

    def __init__(self, store: MemoryStore, reading_ref: str, folder: Path) -> None:
        self.store, self.reading_ref, self.folder = store, reading_ref, folder
        self.progress = Progress()

    async def align(self, audio: bytes) -> str:
        await self.store.put(recording_key(RECORDING_ID), audio)
        handler = AlignHandler(
            store=self.store,
            plans=Plans(store=self.store),
            process=ParserProcess(
                limits=ParserLimits(wall_seconds=100), module="compute_worker.recordings.child"
            ),
            media_bin=imageio_ffmpeg.get_ffmpeg_exe(),
            temporary_folder=self.folder,
        )
        arguments = {"recording_id": RECORDING_ID, "reading_ref": self.reading_ref}
        return await handler.run(Job("1", 1, arguments), self.progress)

    async def read(self, key: str) -> dict:
        return json.loads(gzip.decompress(await self.store.get(key)))


@pytest.fixture
async def desk(book: BookRecording, tmp_path: Path) -> Desk:
    store, sha256 = MemoryStore(), "ab" * 32
    await store.put(f"documents/{sha256}", book.html())
    parser = DocumentHandler(
        store=store,
        passwords=DocumentPasswords(secret="secret"),
        parser=ParserProcess(limits=ParserLimits(wall_seconds=60)),
        temporary_folder=tmp_path,
    )
    await parser.run(Job("1", 1, {"sha256": sha256, "format": "html", "file_name": "book.html"}), Progress())
    assert await store.info(document_key(reading_ref_of(sha256, "html")))
    return Desk(store, reading_ref_of(sha256, "html"), tmp_path)


async def test_a_recording_is_found_in_the_text_word_by_word(desk: Desk, book: BookRecording):
    result_ref = await desk.align(book.audio)
    outline = await desk.read(outline_key(result_ref))
    listed = [
        segment
        for one in outline["sections"]
        for segment in (await desk.read(f"{result_ref}sections/{one['section']}.json.gz"))["segments"]
    ]
    assert [segment["ordinal"] for segment in listed] == list(range(outline["segmentCount"]))
    segments = [segment for segment in listed if "startMs" in segment]
    assert len(segments) == len(book.speeches) == outline["placedCount"]  # and none of what nobody reads
    for (start_ms, speech), segment in zip(book.speeches, segments, strict=True):
        assert abs(segment["startMs"] - start_ms) < 400
        assert abs(segment["endMs"] - start_ms - speech.seconds * 1000) < 600
    errors = errors_ms(book.speeches, segments)
    assert len(errors) > 0.8 * sum(len(speech.words) for _, speech in book.speeches)
    assert errors.mean() < 45
    assert np.mean(errors < 100) > 0.9
    last_start_ms, last = book.speeches[-1]
    assert abs(outline["durationMs"] - last_start_ms - last.seconds * 1000) < 1500
    assert next(phase for phase, _, _ in desk.progress.told) == "fetching"
    listened = [(done, total) for phase, done, total in desk.progress.told if phase == "aligning"]
    assert listened[-1][1] - 1 <= listened[-1][0] <= listened[-1][1]
    assert abs(listened[-1][1] * 1000 - outline["durationMs"]) < 1000
    transcript = gzip.decompress(await desk.store.get(f"{result_ref}transcript.vtt.gz")).decode()
    assert transcript.startswith("WEBVTT\n\n")
    assert book.chapters[0][1][0] in transcript
    assert NOT_READ not in transcript
    assert not list(desk.folder.iterdir())


async def test_the_same_again_costs_nothing(desk: Desk, book: BookRecording):
    result_ref = await desk.align(book.audio)
    desk.progress = Progress()
    assert await desk.align(b"not even looked at") == result_ref
    assert not desk.progress.told


async def test_a_recording_of_something_else_is_refused(desk: Desk):
    noise = np.random.default_rng(1).normal(0, 0.1, 16_000 * 20)
    with pytest.raises(LecternError) as refusal:
        await desk.align(encoded(noise, "-c:a", "libmp3lame", "-f", "mp3"))
    assert refusal.value.reason == "RECORDING_UNLIKE_TEXT"
    assert "same book" in refusal.value.message


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"%PDF-1.7 no sound", "RECORDING_UNSUPPORTED"),
        (b"#EXTM3U\nfile:///etc/passwd\n", "RECORDING_UNSUPPORTED"),
        (b"ID3" + bytes(3000), "RECORDING_UNREADABLE"),
        (b"\xff\xfb" + b"no frames" * 500, "RECORDING_UNREADABLE"),
    ],
)
async def test_a_file_without_sound_is_refused_in_plain_words(desk: Desk, content: bytes, reason: str):
    with pytest.raises(LecternError) as refusal:
        await desk.align(content)
    assert refusal.value.reason == reason
    assert not refusal.value.retryable


async def test_cancelled_work_leaves_no_process_and_no_file(desk: Desk, book: BookRecording):
    work = asyncio.create_task(desk.align(book.audio))
    await asyncio.wait_for(desk.progress.is_aligning.wait(), 60)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert not list(desk.folder.iterdir())
    assert not processes_that_read(desk.folder)


def processes_that_read(folder: Path) -> list[str]:
    found = []
    for process in Path("/proc").iterdir():
        try:
            command = (process / "cmdline").read_bytes() if process.name.isdigit() else b""
        except OSError:
            continue
        if os.fsencode(folder) in command:
            found.append(process.name)
    return found
