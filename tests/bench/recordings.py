"""A long audiobook in one `align` operation: `python -m bench.recordings 600` for ten hours.

Festival reads chapters of words drawn at random, so that no passage is like another; before the book comes
what is not in it, and one chapter is left out. Processor time is that of all processes: what one core takes.
"""

import asyncio
import gzip
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

import imageio_ffmpeg
import soxr
from voices.festival import FestivalVoice, say_with_festival

from bench.alignment.texts import ENGLISH
from bench.figures import Figure
from compute_worker.alignment.features import RATE
from compute_worker.documents.parser_process import ParserLimits, ParserProcess
from compute_worker.recordings.model import PARTS_NAME, TextPart, TextSection

VOICE = FestivalVoice("kal_diphone", "en-us")
PARTS_IN_CHAPTER = 40
WORDS_IN_PART = 25
PART_SECONDS = 8.5
TEN_HOURS_SECONDS = 36_000
_SLEEP_SECONDS = 0.2


@dataclass(frozen=True)
class Book:
    sections: list[TextSection]
    parts: list[TextPart]
    starts_ms: dict[int, float]  # of chapters, as they are read
    seconds: float


def make_book(minutes: float, audio: Path, source: random.Random) -> Book:
    words = sorted({word.strip(".,;:?!").lower() for word in " ".join(ENGLISH).split()})
    chapters = max(2, round(minutes * 60 / PART_SECONDS / PARTS_IN_CHAPTER))
    sections, parts, starts, place = [], [], {}, 0.0
    raw = ["-f", "s16le", "-ac", "1", "-ar", str(RATE)]
    encoder = subprocess.Popen(
        [
            imageio_ffmpeg.get_ffmpeg_exe(),
            "-v",
            "error",
            "-y",
            *raw,
            "-i",
            "pipe:0",
            "-b:a",
            "64k",
            str(audio),
        ],
        stdin=subprocess.PIPE,
    )
    assert encoder.stdin
    for chapter in range(-1, chapters):
        texts = [
            " ".join(source.choice(words) for _ in range(WORDS_IN_PART)) + "."
            for _ in range(PARTS_IN_CHAPTER if chapter >= 0 else 5)
        ]
        is_read = chapter != 1
        if chapter >= 0:
            first = len(parts)
            parts += [
                TextPart(first + index, chapter, f"{chapter}-{index}", 0, len(text), text, "en-us")
                for index, text in enumerate(texts)
            ]
            sections.append(
                TextSection(chapter, f"Chapter {chapter}", first, len(texts), sum(map(len, texts)))
            )
        if not is_read:
            continue
        if chapter >= 0:
            starts[chapter] = place * 1000
        for speech in say_with_festival(VOICE, texts):
            samples = soxr.resample(speech.samples, speech.sample_rate, RATE)
            encoder.stdin.write((samples.clip(-1, 1) * 32767).astype("<i2").tobytes())
            place += len(samples) / RATE
    encoder.stdin.close()
    assert encoder.wait() == 0
    return Book(sections, parts, starts, place)


async def measure_recording(minutes: float, source: random.Random) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="lectern-bench-align-") as name:
        audio = Path(name) / "book.mp3"
        return await measure_book(make_book(minutes, audio, source), audio)


async def measure_book(book: Book, audio: Path) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="lectern-bench-align-") as name:
        folder = Path(name)
        told = {
            "media_bin": imageio_ffmpeg.get_ffmpeg_exe(),
            "parts": [astuple(part) for part in book.parts],
            "sections": [astuple(section) for section in book.sections],
        }
        (folder / PARTS_NAME).write_text(json.dumps(told))
        before = _children_seconds()
        began = time.perf_counter()
        limits = ParserLimits(wall_seconds=3600, cpu_seconds=3600)
        process = ParserProcess(limits=limits, module="compute_worker.recordings.child")
        watch = asyncio.create_task(_most_memory())
        await process.parse(
            path=audio, folder=folder, source_format="recording", file_name="", on_progress=_nothing
        )
        watch.cancel()
        most_mb = max((await asyncio.gather(watch, return_exceptions=True))[0] or [0.0])
        used, passed = _children_seconds() - before, time.perf_counter() - began
        print(f"      {book.seconds / 3600:.2f} h aligned in {passed:.0f} s of this machine")
        errors = list(_chapter_errors(folder, book))
        ten_hours = used / book.seconds * TEN_HOURS_SECONDS
    return [
        Figure("align operation, processor time for ten hours", ten_hours, "s", 240),
        Figure("align operation, memory of all its processes", most_mb, "MB", 1000),
        Figure("align operation, worst error of a chapter's start", max(errors), "ms", 500),
    ]


def _chapter_errors(folder: Path, book: Book) -> Iterator[float]:
    """Infinite for a chapter that is not found, or found though nobody reads it."""
    outline = json.loads(gzip.decompress((folder / "alignment.json.gz").read_bytes()))
    for section in outline["sections"]:
        true_ms, found_ms = book.starts_ms.get(section["section"]), section.get("startMs")
        if true_ms is None or found_ms is None:
            yield 0.0 if true_ms is None and found_ms is None else float("inf")
        else:
            yield abs(found_ms - true_ms)


async def _nothing(phase: str, done: int, total: int) -> None: ...


async def _most_memory() -> list[float]:
    """Resident MB of all our children and theirs, now and then."""
    found = [0.0]
    try:
        while True:
            await asyncio.sleep(_SLEEP_SECONDS)
            found.append(sum(_memory_mb(pid) for pid in _descendants(os.getpid())))
    except asyncio.CancelledError:
        return found


def _descendants(parent: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                fields = (path / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(path.name))
    found, waiting = [], [parent]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _memory_mb(pid: int) -> float:
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def _children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    chosen = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
    for figure in asyncio.run(measure_recording(chosen, random.Random(4))):
        print(figure.line())
