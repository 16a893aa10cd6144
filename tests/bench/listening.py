"""What a listener waits for, and what their speech costs, in one instance with one worker."""

import asyncio
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.books import sentence, text_book
from bench.figures import Figure, Report, percentile
from bench.processes import cpu_seconds
from bench.reader import Reader
from servers.lectern import LECTERN, LecternInstance, lectern_environment
from servers.ports import free_port
from servers.processes import http_status, started

COLD_PLAYS = 20
SENTENCES = 10  # in each document: more than one window
SEEKS = 60
BREATH_SECONDS = 0.3  # between cold plays
PROVIDER_DELAY_MS = 150


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


@dataclass(frozen=True)
class Unheard:
    """A document that nobody has played yet, and what it says first."""

    document_id: str
    first_sentence: str


async def measure_listening(
    instance: LecternInstance, speech_url: str, *, source: random.Random, report: Report
) -> None:
    async with Reader.signed_up(instance.base_url) as reader:
        documents = [await _uploaded(reader, source) for _ in range(COLD_PLAYS)]
        for document in documents:
            await reader.until_ready(document.document_id)
        report.add(await _first_audio(reader, documents))
        report.add(await _overhead(reader, speech_url, documents))
        report.add(await _seeking(reader, source))
        report.add(await _synthesis_cost(instance, reader, source))


async def _uploaded(reader: Reader, source: random.Random) -> Unheard:
    sentences = [sentence(source) for _ in range(SENTENCES)]
    document_id = await reader.upload("cold.txt", "\n\n".join(sentences).encode())
    return Unheard(document_id, sentences[0])


async def _first_audio(reader: Reader, documents: Sequence[Unheard]) -> list[Figure]:
    times = [await _cold_play(reader, document, "builtin") for document in documents]
    return [
        Figure("first audio byte after POST session, cold cache, p50", percentile(times, 0.5), "ms", 250),
        Figure("first audio byte after POST session, cold cache, p95", percentile(times, 0.95), "ms", 500),
    ]


async def _overhead(reader: Reader, speech_url: str, documents: Sequence[Unheard]) -> list[Figure]:
    """Each sentence is asked for once through Lectern and once of the provider itself, in turn."""
    provider_ref, overheads = "default-provider", []
    await reader.get(f"/api/tts/voices?providerRef={provider_ref}")  # as the reader page does when it opens
    for document in documents:
        total = await _cold_play(reader, document, provider_ref)
        overheads.append(total - await reader.provider_ms(speech_url, document.first_sentence))
    name = "first audio byte, over the provider's own answer time"
    return [
        Figure(f"{name}, p50", percentile(overheads, 0.5), "ms", 45),
        Figure(f"{name}, p95", percentile(overheads, 0.95), "ms"),
    ]


async def _cold_play(reader: Reader, document: Unheard, provider_ref: str) -> float:
    """Milliseconds from POST to the first byte of a session that is new, of speech nobody has made before."""
    began = time.perf_counter()
    session = await reader.play(document.document_id, 0, provider_ref)
    await reader.first_byte_seconds(f"{session['audioUrl']}&from=0&at=0")
    milliseconds = (time.perf_counter() - began) * 1000
    await reader.move(session, 0, playing=False)
    await reader.until_resting(session)  # so that one's window is not another's rival
    await asyncio.sleep(BREATH_SECONDS)
    return milliseconds


async def _seeking(reader: Reader, source: random.Random) -> list[Figure]:
    document_id = await reader.upload("seek.txt", text_book(source, 8))
    await reader.until_ready(document_id)
    session = await reader.play(document_id)
    await reader.read_seconds_of_audio(f"{session['audioUrl']}&from=0&at=0", 40_000)
    times = [
        await reader.first_byte_seconds(f"{session['audioUrl']}&from={source.randrange(5)}&at=240")
        for _ in range(SEEKS)
    ]
    name = "seek to a cached segment, request to first byte, p50"
    return [Figure(name, percentile(times, 0.5) * 1000, "ms", 25)]


async def _synthesis_cost(instance: LecternInstance, reader: Reader, source: random.Random) -> list[Figure]:
    document_id = await reader.upload("cost.txt", text_book(source, 60))
    await reader.until_ready(document_id)
    worker = instance.child_pid("worker")
    assert worker is not None
    before = cpu_seconds(worker)
    session = await reader.play(document_id)
    frames = await reader.generate(session, 0, session["segmentCount"])
    hours = sum(frames.values()) * 24 / 1000 / 3600
    name = "CPU of the worker per audio hour synthesized, beside the provider's own"
    return [Figure(name, (cpu_seconds(worker) - before) / hours, "s", 20)]
