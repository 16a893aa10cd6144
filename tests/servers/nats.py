"""A real nats-server with JetStream on free ports."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app_server.supervisor.servers import bundled_program
from servers.ports import free_port
from servers.processes import http_status, started


@dataclass(frozen=True)
class NatsServer:
    url: str
    port: int
    monitor_url: str
    pid: int


@contextmanager
def running_nats(directory: Path, *, port: int | None = None) -> Iterator[NatsServer]:
    """Started again on the same directory and port, it has kept its streams."""
    directory.mkdir(parents=True, exist_ok=True)
    client, monitor = port or free_port(), free_port()
    monitor_url = f"http://127.0.0.1:{monitor}"
    command = [
        bundled_program("nats-server"),
        *("--addr", "127.0.0.1", "--port", str(client), "--http_port", str(monitor)),
        *("--jetstream", "--store_dir", str(directory)),
    ]
    with started(
        command,
        environment=dict(os.environ),
        directory=directory,
        output=directory / "nats.log",
        is_ready=lambda: http_status(f"{monitor_url}/healthz") == 200,
    ) as process:
        yield NatsServer(f"nats://127.0.0.1:{client}", client, monitor_url, process.pid)
