"""`make bench`: one instance from cold, the figures of the design beside their bars."""

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.alignment.run import measure_alignment
from bench.books import epub_book, sentence, text_book
from bench.figures import Figure, percentile
from bench.page_images import page_image_figures
from bench.pdf.measure import pdf_figures
from bench.processes import cpu_seconds, memory_mb
from bench.reader import Reader
from bench.throughput import measure_throughput
from servers.lectern import LECTERN, LecternInstance, lectern_environment, running_lectern
from servers.ports import free_port
from servers.processes import http_status, started
from servers.seeds import seed_with_generous_limits

COLD_PLAYS = 30
SEEKS = 60
SETTLE_SECONDS = 3.0
BREATH_SECONDS = 0.5  # between cold plays
PROVIDER_DELAY_MS = 150


def main() -> int:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    source = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="lectern-bench-") as name:
        folder = Path(name)
        with speech_server(folder) as speech_url:
            began = time.perf_counter()
            environment = lectern_environment(
                API_BASE=speech_url, RUNTIME_SEED_JSON=seed_with_generous_limits()
            )
            with running_lectern(folder / "workspace", environment=environment) as instance:
                figures = [Figure("cold start to ready", time.perf_counter() - began, "s", 4)]
                figures += asyncio.run(_measure(instance, speech_url, source))
        figures += measure_throughput(folder, source)
    figures += pdf_figures(source)
    figures += asyncio.run(measure_alignment(seed))
    for figure in figures:
        print(figure.line())
    return 0


@contextmanager
def speech_server(folder: Path) -> Iterator[str]:
    """A provider that takes its time, as remote ones do."""
    port = free_port()
    with started(
        [*LECTERN, "speech-server", "--port", str(port), "--delay-ms", str(PROVIDER_DELAY_MS)],
        environment=lectern_environment(),
        directory=folder,
        output=folder / "speech-server.log",
        is_ready=lambda: http_status(f"http://127.0.0.1:{port}/health") == 200,
    ):
        yield f"http://127.0.0.1:{port}/v1"


async def _measure(instance: LecternInstance, speech_url: str, source: random.Random) -> list[Figure]:
    await asyncio.sleep(SETTLE_SECONDS)
    used = memory_mb(instance.pid)
    for name, megabytes in sorted(used.items(), key=lambda item: -item[1]):
        print(f"      {name:<60} {megabytes:7.1f} MB")
    figures = [Figure("idle memory of all processes (proportional set size)", sum(used.values()), "MB", 400)]
    async with Reader.signed_up(instance.base_url) as reader:
        figures += await _opening(reader, source)
        figures += await page_image_figures(reader, instance.base_url, source)
        figures += await _first_audio(reader, source)
        figures += await _overhead(reader, speech_url, source)
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
    times = [time for time, _ in await _cold_plays(reader, source, "builtin")]
    return [
        Figure("first audio byte after POST session, cold cache, p50", percentile(times, 0.5), "ms", 250),
        Figure("first audio byte after POST session, cold cache, p95", percentile(times, 0.95), "ms", 500),
    ]


async def _overhead(reader: Reader, speech_url: str, source: random.Random) -> list[Figure]:
    """Each sentence is asked for once through Lectern and once of the provider itself, in turn."""
    overheads = []
    for total, text in await _cold_plays(reader, source, "default-provider"):
        overheads.append(total - await reader.provider_ms(speech_url, text))
    return [
        Figure(
            "first audio byte, over the provider's own answer time, p50", percentile(overheads, 0.5), "ms", 45
        )
    ]


async def _cold_plays(reader: Reader, source: random.Random, provider_ref: str) -> list[tuple[float, str]]:
    """Milliseconds from POST to the first byte of speech nobody has made before, and its text."""
    sentences = [sentence(source) for _ in range(10 * COLD_PLAYS)]
    document_id = await reader.upload("cold.txt", "\n\n".join(sentences).encode())
    await reader.until_ready(document_id)
    await reader.get(f"/api/tts/voices?providerRef={provider_ref}")  # as the reader page does when it opens
    plays = []
    for play in range(COLD_PLAYS):
        ordinal = 10 * play  # no window reaches the next start
        began = time.perf_counter()
        session = await reader.play(document_id, ordinal, provider_ref)
        await reader.first_byte_seconds(f"{session['audioUrl']}&from={ordinal}&at=0")
        plays.append(((time.perf_counter() - began) * 1000, sentences[ordinal]))
        await reader.move(session, ordinal, playing=False)
        await reader.until_resting(session)  # so that one's window is not another's rival
        await asyncio.sleep(BREATH_SECONDS)
    return plays


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
