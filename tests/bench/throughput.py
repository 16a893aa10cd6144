"""How much one worker does, and two, and four."""

import asyncio
import os
import random
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from bench.books import text_book
from bench.figures import Figure, Report
from bench.listening import speech_server
from bench.processes import cpu_seconds, own_memory_mb
from bench.queueing import measure_queue
from bench.reader import Reader
from bench.served import listen_at_pace, rate
from bench.sharing import measure_sharing
from bench.workers import Worker, channels_to, embedded_worker, further_worker
from servers.lectern import LecternInstance, lectern_environment, running_lectern
from servers.ports import free_port
from servers.processes import http_status, started
from servers.seeds import seed_with_generous_limits

WORKERS = (1, 2, 4)
PARAGRAPHS = 80  # about eight minutes
SHARED_PARAGRAPHS = 24
LISTENERS, LISTENING_SECONDS = 1000, 8.0
RATE_SECONDS = 2.0
TOKENS = ("COMPUTE_WORKER_TOKEN", "COMPUTE_CREDENTIAL_BROKER_TOKEN", "TTS_PLAYBACK_TOKEN_SECRET")


def measure_throughput(folder: Path, *, source: random.Random, report: Report) -> None:
    with speech_server(folder) as speech_url:
        environment = lectern_environment(
            **{name: secrets.token_urlsafe(32) for name in TOKENS},
            S3_ACCESS_KEY_ID="bench",
            S3_SECRET_ACCESS_KEY=secrets.token_hex(16),
            API_BASE=speech_url,
            RUNTIME_SEED_JSON=seed_with_generous_limits(),
        )
        with (
            running_lectern(folder / "throughput", environment=environment) as instance,
            ExitStack() as stack,
        ):
            workers = [embedded_worker(instance)]
            for count in WORKERS:
                while len(workers) < count:
                    workers.append(stack.enter_context(further_worker(instance, folder, len(workers))))
                asyncio.run(_measure_queue(instance, workers, source=source, report=report))
            asyncio.run(_measure_sharing(instance, workers, speech_url, source=source, report=report))
            asyncio.run(_measure_sound(instance, workers, folder, source=source, report=report))


async def _measure_queue(
    instance: LecternInstance, workers: list[Worker], *, source: random.Random, report: Report
) -> None:
    token = instance.environment["COMPUTE_WORKER_TOKEN"]
    async with (
        Reader.signed_up(instance.base_url) as reader,
        channels_to([f"grpc://127.0.0.1:{worker.grpc_port}" for worker in workers], token) as grpc,
        channels_to([f"http://127.0.0.1:{worker.port}" for worker in workers], token) as gateway,
    ):
        await measure_queue(reader, grpc, gateway, source=source, report=report)


async def _measure_sharing(
    instance: LecternInstance,
    workers: list[Worker],
    speech_url: str,
    *,
    source: random.Random,
    report: Report,
) -> None:
    token = instance.environment["COMPUTE_WORKER_TOKEN"]
    async with (
        Reader.signed_up(instance.base_url) as reader,
        channels_to([f"grpc://127.0.0.1:{worker.grpc_port}" for worker in workers], token) as channels,
    ):
        report.add(await measure_sharing(reader, channels, speech_url, text_book(source, SHARED_PARAGRAPHS)))


async def _measure_sound(
    instance: LecternInstance,
    workers: list[Worker],
    folder: Path,
    *,
    source: random.Random,
    report: Report,
) -> None:
    async with Reader.signed_up(instance.base_url) as reader:
        document_id = await reader.upload("throughput.txt", text_book(source, PARAGRAPHS))
        await reader.until_ready(document_id)
        session = await reader.play(document_id)
        await reader.generate(session, 0, session["segmentCount"])
        url = f"{session['audioUrl']}&from=0&at=0"
        for worker in workers:
            await reader.read_all(_at(url, worker))  # everything is in every worker's memory
        report.add(await _bytes(reader, url, workers, folder))
        for count in WORKERS:
            report.add(await _listeners(url, workers[:count]))


async def _bytes(reader: Reader, url: str, workers: list[Worker], folder: Path) -> list[Figure]:
    figures, alone = [], 0.0
    for count in WORKERS:
        used = workers[:count]
        total = sum(await asyncio.gather(*(rate(_at(url, worker), seconds=RATE_SECONDS) for worker in used)))
        alone = alone or total
        name = f"bytes of one cached stream after another, {count} workers"
        figures.append(Figure(name, total / 1e6, "MB/s"))
    with _nginx(folder, await reader.read_all(url)) as static:
        if static is None:
            print("      no nginx is installed (apt-get install nginx-light): no comparison with it")
            return figures
        beside = await rate(static, seconds=RATE_SECONDS)
        alone = await rate(_at(url, workers[0]), seconds=RATE_SECONDS)  # side by side, in the same moment
        figures.append(
            Figure("bytes of a worker beside nginx with one file", alone / beside, "", 0.25, at_least=True)
        )
    return figures


async def _listeners(url: str, workers: list[Worker]) -> list[Figure]:
    cpu = sum(cpu_seconds(worker.pid) for worker in workers)
    urls = [_at(url, workers[number % len(workers)]) for number in range(LISTENERS)]
    began = time.perf_counter()
    listening = asyncio.create_task(listen_at_pace(urls, seconds=LISTENING_SECONDS))
    await asyncio.sleep(LISTENING_SECONDS)
    # Since they started, with all that the workers did before: what was freed may be used once more.
    grown = sum(own_memory_mb(worker.pid) - worker.idle_mb for worker in workers)
    pace = await listening
    cores = (sum(cpu_seconds(worker.pid) for worker in workers) - cpu) / (time.perf_counter() - began)
    among = f"{len(workers)} workers"
    return [
        Figure(f"listeners per worker core, {among}", LISTENERS / cores, "", 1000, at_least=True),
        Figure(f"underruns of {LISTENERS} listeners, {among}", pace.underruns, "", 0),
        Figure(
            f"memory per listener, {among}",
            grown * 1024 / LISTENERS,
            "KB",
            # The bar is one process's: among several each has grown by itself, for a part of the listeners.
            200 if len(workers) == 1 else None,
        ),
    ]


def _at(url: str, worker: Worker) -> str:
    return urlunsplit(urlsplit(url)._replace(netloc=f"127.0.0.1:{worker.port}"))


@contextmanager
def _nginx(folder: Path, body: bytes) -> Iterator[str | None]:
    """nginx, with one file; None when there is no such program."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        yield None
        return
    directory, port = folder / "nginx", free_port()
    directory.mkdir()
    (directory / "audio.mp3").write_bytes(body)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = " ".join(f"{kind}_temp_path {directory}/{kind};" for kind in kinds)
    configuration = directory / "nginx.conf"
    configuration.write_text(
        f"daemon off; worker_processes 1; pid {directory}/pid; error_log {directory}/error.log; "
        f"{'user root; ' if os.geteuid() == 0 else ''}events {{}} "
        f"http {{ {paths} access_log off; sendfile on; tcp_nopush on; "
        f"server {{ listen 127.0.0.1:{port}; root {directory}; }} }}"
    )
    url = f"http://127.0.0.1:{port}/audio.mp3"
    with started(
        [program, "-p", str(directory), "-c", str(configuration)],
        environment={},
        directory=directory,
        output=directory / "output",
        is_ready=lambda: http_status(url) == 200,
    ):
        yield url
