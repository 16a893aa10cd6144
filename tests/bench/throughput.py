"""How much one worker does, and two, and four; and what the HTTP gateway costs over gRPC."""

import asyncio
import json
import os
import random
import secrets
import shutil
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from bench.books import text_book
from bench.figures import Figure, percentile
from bench.processes import cpu_seconds, memory_mb
from bench.reader import Reader
from bench.served import listen_at_pace, rate
from lectern.compute.v1 import operations_pb2
from lectern.compute.v1.operations_pb2_grpc import OperationServiceStub
from servers.lectern import LECTERN, LecternInstance, lectern_environment, running_lectern
from servers.ports import free_port
from servers.processes import http_status, started
from shared.errors import LecternError
from shared.rpc.channel import open_channel

WORKERS = (1, 2, 4)
PARAGRAPHS = 80  # about eight minutes
LISTENERS, LISTENING_SECONDS = 1000, 8.0
RATE_SECONDS = 2.0
CALLS = 300
DOCUMENTS = 20
TOKENS = ("COMPUTE_WORKER_TOKEN", "COMPUTE_CREDENTIAL_BROKER_TOKEN", "TTS_PLAYBACK_TOKEN_SECRET")


@dataclass(frozen=True)
class Worker:
    pid: int
    port: int


def measure_throughput(folder: Path, source: random.Random) -> list[Figure]:
    environment = lectern_environment(
        **{name: secrets.token_urlsafe(32) for name in TOKENS},
        S3_ACCESS_KEY_ID="bench",
        S3_SECRET_ACCESS_KEY=secrets.token_hex(16),
    )
    with running_lectern(folder / "throughput", environment=environment) as instance, ExitStack() as stack:
        pid = instance.child_pid("worker")
        assert pid is not None
        workers = [Worker(pid, int(environment["EMBEDDED_COMPUTE_WORKER_PORT"]))]
        workers += [stack.enter_context(_worker(instance, folder, n)) for n in range(1, max(WORKERS))]
        return asyncio.run(_measure(instance, workers, folder, source))


async def _measure(
    instance: LecternInstance, workers: list[Worker], folder: Path, source: random.Random
) -> list[Figure]:
    figures = await _gateway(instance)
    async with Reader.signed_up(instance.base_url) as reader:
        figures += await _documents(reader, source)
        document_id = await reader.upload("throughput.txt", text_book(source, PARAGRAPHS))
        await reader.until_ready(document_id)
        session = await reader.play(document_id)
        await reader.generate(session, 0, session["segmentCount"])
        url = f"{session['audioUrl']}&from=0&at=0"
        for worker in workers:
            await reader.read_all(_at(url, worker))  # everything is in every worker's memory
        figures += await _bytes(reader, url, workers, folder)
        figures += await _listeners(url, workers)
    return figures


async def _documents(reader: Reader, source: random.Random) -> list[Figure]:
    """Small documents uploaded at once: most of it is the queue, and a child process for each."""
    bodies = [text_book(source, 1) for _ in range(DOCUMENTS)]
    began = time.perf_counter()
    identifiers = await asyncio.gather(*(reader.upload(f"{n}.txt", body) for n, body in enumerate(bodies)))
    await asyncio.gather(*(reader.until_ready(identifier) for identifier in identifiers))
    per_second = DOCUMENTS / (time.perf_counter() - began)
    return [Figure("small documents through upload, queue and parser", per_second, "/s", 0, at_least=True)]


async def _bytes(reader: Reader, url: str, workers: list[Worker], folder: Path) -> list[Figure]:
    figures, alone = [], 0.0
    for count in WORKERS:
        used = workers[:count]
        total = sum(await asyncio.gather(*(rate(_at(url, worker), seconds=RATE_SECONDS) for worker in used)))
        alone = alone or total
        name = f"bytes of one cached stream after another, {count} workers"
        figures.append(Figure(name, total / 1e6, "MB/s", 0, at_least=True))
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
    figures = []
    for count in WORKERS:
        used = workers[:count]
        cpu = sum(cpu_seconds(worker.pid) for worker in used)
        memory = sum(_own_memory_mb(worker) for worker in used)
        urls = [_at(url, used[number % count]) for number in range(LISTENERS)]
        began = time.perf_counter()
        listening = asyncio.create_task(listen_at_pace(urls, seconds=LISTENING_SECONDS))
        await asyncio.sleep(LISTENING_SECONDS)
        grown = sum(_own_memory_mb(worker) for worker in used) - memory
        pace = await listening
        cores = (sum(cpu_seconds(worker.pid) for worker in used) - cpu) / (time.perf_counter() - began)
        figures += [
            Figure(f"listeners per worker core, {count} workers", LISTENERS / cores, "", 1000, at_least=True),
            Figure(f"underruns of {LISTENERS} listeners, {count} workers", pace.underruns, "", 0),
            Figure(f"memory per listener, {count} workers", grown * 1024 / LISTENERS, "KB", 200),
        ]
    return figures


async def _gateway(instance: LecternInstance) -> list[Figure]:
    """The same call over both, in turn: an operation that isn't there."""
    token = instance.environment["COMPUTE_WORKER_TOKEN"]
    times: dict[str, list[float]] = {"grpc": [], "gateway": []}
    async with (
        open_channel(f"grpc://{instance.worker_grpc_address}", token) as grpc_channel,
        open_channel(instance.worker_url, token) as gateway_channel,
    ):
        stubs = {"grpc": OperationServiceStub(grpc_channel), "gateway": OperationServiceStub(gateway_channel)}
        for _ in range(CALLS):
            for name, stub in stubs.items():
                began = time.perf_counter()
                try:
                    await stub.GetOperation(operations_pb2.GetOperationRequest(operation_id="document-none"))
                except LecternError:
                    times[name].append((time.perf_counter() - began) * 1000)
    added = statistics.median(times["gateway"]) - statistics.median(times["grpc"])
    return [
        Figure("a call over gRPC, p50", percentile(times["grpc"], 0.5), "ms", 10),
        Figure("what the HTTP gateway adds to it, p50", added, "ms", 5),
    ]


def _at(url: str, worker: Worker) -> str:
    return urlunsplit(urlsplit(url)._replace(netloc=f"127.0.0.1:{worker.port}"))


def _own_memory_mb(worker: Worker) -> float:
    return sum(memory_mb(worker.pid).values())


@contextmanager
def _worker(instance: LecternInstance, folder: Path, number: int) -> Iterator[Worker]:
    """One more worker on the instance's own broker and store."""
    environment, port = instance.environment, free_port()
    directory = folder / f"worker-{number}"
    directory.mkdir()
    broker = json.loads((instance.workspace / "docstore" / "broker" / "nats-server.conf").read_text())
    account = f"{broker['authorization']['user']}:{broker['authorization']['password']}"
    with started(
        [*LECTERN, "worker", "--no-env-file"],
        environment={
            **{name: environment[name] for name in (*TOKENS, "PATH", "PYTHONPATH")},
            **{name: text for name, text in environment.items() if name.startswith("S3_")},
            "S3_INTERNAL_ENDPOINT": f"http://127.0.0.1:{environment['OBJSTORE_PORT']}",
            "S3_BUCKET": "lectern-documents",
            "S3_REGION": "us-east-1",
            "S3_FORCE_PATH_STYLE": "true",
            "BROKER_URL": f"nats://{account}@127.0.0.1:{environment['EMBEDDED_BROKER_PORT']}",
            "PORT": str(port),
            "COMPUTE_WORKER_HOST": "127.0.0.1",
            "COMPUTE_WORKER_GRPC_PORT": str(free_port()),
            "COMPUTE_CREDENTIAL_BROKER_URL": f"{instance.base_url}/api/internal/compute/tts-credentials",
        },
        directory=directory,
        output=directory / "worker.log",
        is_ready=lambda: http_status(f"http://127.0.0.1:{port}/health/ready") == 200,
    ) as process:
        yield Worker(process.pid, port)


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
