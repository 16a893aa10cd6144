"""Several workers on the broker and the object store of one instance."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.processes import own_memory_mb
from servers.lectern import LECTERN, LecternInstance
from servers.ports import free_port
from servers.processes import http_status, started
from shared.rpc.channel import open_channel

SHARED = ("COMPUTE_WORKER_TOKEN", "COMPUTE_CREDENTIAL_BROKER_TOKEN", "TTS_PLAYBACK_TOKEN_SECRET")


@dataclass(frozen=True)
class Worker:
    pid: int
    port: int
    grpc_port: int
    idle_mb: float  # its own memory when it had just started


def embedded_worker(instance: LecternInstance) -> Worker:
    pid, environment = instance.child_pid("worker"), instance.environment
    assert pid is not None
    port, grpc_port = environment["EMBEDDED_COMPUTE_WORKER_PORT"], environment["COMPUTE_WORKER_GRPC_PORT"]
    return Worker(pid, int(port), int(grpc_port), own_memory_mb(pid))


@contextmanager
def further_worker(instance: LecternInstance, folder: Path, number: int) -> Iterator[Worker]:
    environment, port, grpc_port = instance.environment, free_port(), free_port()
    directory = folder / f"worker-{number}"
    directory.mkdir()
    broker = json.loads((instance.workspace / "docstore" / "broker" / "nats-server.conf").read_text())
    account = f"{broker['authorization']['user']}:{broker['authorization']['password']}"
    with started(
        [*LECTERN, "worker", "--no-env-file"],
        environment={
            **{name: environment[name] for name in (*SHARED, "PATH", "PYTHONPATH")},
            **{name: text for name, text in environment.items() if name.startswith("S3_")},
            "S3_INTERNAL_ENDPOINT": f"http://127.0.0.1:{environment['OBJSTORE_PORT']}",
            "S3_BUCKET": "lectern-documents",
            "S3_REGION": "us-east-1",
            "S3_FORCE_PATH_STYLE": "true",
            "BROKER_URL": f"nats://{account}@127.0.0.1:{environment['EMBEDDED_BROKER_PORT']}",
            "PORT": str(port),
            "COMPUTE_WORKER_HOST": "127.0.0.1",
            "COMPUTE_WORKER_GRPC_PORT": str(grpc_port),
            "COMPUTE_CREDENTIAL_BROKER_URL": f"{instance.base_url}/api/internal/compute/tts-credentials",
        },
        directory=directory,
        output=directory / "worker.log",
        is_ready=lambda: http_status(f"http://127.0.0.1:{port}/health/ready") == 200,
    ) as process:
        yield Worker(process.pid, port, grpc_port, own_memory_mb(process.pid))


@asynccontextmanager
async def channels_to(addresses: list[str], token: str) -> AsyncIterator[list[Any]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(open_channel(address, token)) for address in addresses]
