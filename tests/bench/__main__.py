"""`make bench`: one instance from cold, the figures of the design beside their bars."""

import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path

from bench.books import epub_book, text_book
from bench.figures import Figure, percentile
from bench.processes import cpu_seconds, memory_mb
from bench.reader import Reader
from servers.lectern import LecternInstance, running_lectern

COLD_PLAYS = 30
SEEKS = 60
SETTLE_SECONDS = 3.0


def main() -> int:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    source = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="lectern-bench-") as folder:
        began = time.perf_counter()
        with running_lectern(Path(folder) / "workspace") as instance:
            figures = [Figure("cold start to ready", time.perf_counter() - began, "s", 4)]
            figures += asyncio.run(_measure(instance, source))
    for figure in figures:
        print(figure.line())
    return 0


async def _measure(instance: LecternInstance, source: random.Random) -> list[Figure]:
    await asyncio.sleep(SETTLE_SECONDS)
    used = memory_mb(instance.pid)
    for name, megabytes in sorted(used.items(), key=lambda item: -item[1]):
        print(f"      {name:<60} {megabytes:7.1f} MB")
    figures = [Figure("idle memory of all processes (proportional set size)", sum(used.values()), "MB", 400)]
    async with Reader.signed_up(instance.base_url) as reader:
        figures += await _opening(reader, source)
        figures += await _first_audio(reader, source)
        figures += await _seeking(reader, source)
        figures += await _synthesis_cost(instance, reader, source)
    return figures


async def _opening(reader: Reader, source: random.Random) -> list[Figure]:
    book = epub_book(source, chapters=25, characters=500_000)
    began = time.perf_counter()
    document_id = await reader.upload("bench.epub", book)
    await reader.until_ready(document_id)
    await reader.get(f"/api/documents/{document_id}/sections/0")
    shown = time.perf_counter() - began
    session = await reader.play(document_id)
    await reader.get(session["planUrl"])
    planned = time.perf_counter() - began
    return [
        Figure("EPUB of 500,000 characters: upload to first page", shown, "s", 1),
        Figure("EPUB of 500,000 characters: upload to fully planned", planned, "s", 3),
    ]


async def _first_audio(reader: Reader, source: random.Random) -> list[Figure]:
    document_id = await reader.upload("cold.txt", text_book(source, 10 * COLD_PLAYS))
    await reader.until_ready(document_id)
    times = []
    for play in range(COLD_PLAYS):
        began = time.perf_counter()
        session = await reader.play(document_id, 10 * play)  # no window reaches the next start
        await reader.first_byte_seconds(f"{session['audioUrl']}&from={session['startOrdinal']}&at=0")
        times.append((time.perf_counter() - began) * 1000)
        await reader.move(session, session["startOrdinal"], playing=False)
        await asyncio.sleep(0.3)
    return [
        Figure("first audio byte after POST session, cold cache, p50", percentile(times, 0.5), "ms", 250),
        Figure("first audio byte after POST session, cold cache, p95", percentile(times, 0.95), "ms", 500),
    ]


async def _seeking(reader: Reader, source: random.Random) -> list[Figure]:
    document_id = await reader.upload("seek.txt", text_book(source, 8))
    await reader.until_ready(document_id)
    session = await reader.play(document_id)
    await reader.read_seconds_of_audio(f"{session['audioUrl']}&from=0&at=0", 40_000)
    times = [
        await reader.first_byte_seconds(f"{session['audioUrl']}&from={source.randrange(5)}&at=240")
        for _ in range(SEEKS)
    ]
    return [
        Figure(
            "seek to a cached segment, request to first byte, p50", percentile(times, 0.5) * 1000, "ms", 25
        )
    ]


async def _synthesis_cost(instance: LecternInstance, reader: Reader, source: random.Random) -> list[Figure]:
    document_id = await reader.upload("cost.txt", text_book(source, 60))
    await reader.until_ready(document_id)
    worker = instance.child_pid("worker")
    assert worker is not None
    before = cpu_seconds(worker)
    session = await reader.play(document_id)
    frames = await reader.generate(session, 0, session["segmentCount"])
    hours = sum(frames.values()) * 24 / 1000 / 3600
    return [
        Figure(
            "CPU of the worker per audio hour synthesized, beside the provider's own",
            (cpu_seconds(worker) - before) / hours,
            "s",
            20,
        )
    ]


if __name__ == "__main__":
    sys.exit(main())
