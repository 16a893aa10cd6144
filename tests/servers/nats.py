"""A real nats-server with JetStream on free ports, alone or three of them as a cluster."""

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

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
def running_nats(
    directory: Path, *, port: int | None = None, configuration: str | None = None
) -> Iterator[NatsServer]:
    """Started again on the same directory and port, it has kept its streams. configuration: a file's."""
    directory.mkdir(parents=True, exist_ok=True)
    client, monitor = port or free_port(), free_port()
    monitor_url = f"http://127.0.0.1:{monitor}"
    command = [
        bundled_program("nats-server"),
        *("--addr", "127.0.0.1", "--port", str(client), "--http_port", str(monitor)),
        *("--jetstream", "--store_dir", str(directory)),
    ]
    if configuration is not None:
        file = directory / "nats.conf"
        file.write_text(configuration)
        command += ["--config", str(file)]
    with _running(command, directory, f"{monitor_url}/healthz") as process:
        yield NatsServer(f"nats://127.0.0.1:{client}", client, monitor_url, process.pid)


@contextmanager
def running_nats_cluster(directory: Path) -> Iterator[list[NatsServer]]:
    """Three servers that have found each other and elected a leader for JetStream."""
    ports = [(free_port(), free_port(), free_port()) for _ in range(3)]
    routes = [f"nats://127.0.0.1:{route}" for _, _, route in ports]
    with ExitStack() as stack:
        servers = []
        for number, (client, monitor, route) in enumerate(ports):
            folder = directory / f"server-{number}"
            folder.mkdir(parents=True)
            file = folder / "nats.conf"
            file.write_text(
                json.dumps(
                    {
                        "server_name": f"server-{number}",
                        "listen": f"127.0.0.1:{client}",
                        "http": f"127.0.0.1:{monitor}",
                        "jetstream": {"store_dir": str(folder)},
                        "cluster": {"name": "lectern", "listen": f"127.0.0.1:{route}", "routes": routes},
                    }
                )
            )
            # Alone it would wait for the others: ready means only that it serves.
            url = f"http://127.0.0.1:{monitor}"
            command = [bundled_program("nats-server"), "--config", str(file)]
            process = stack.enter_context(_running(command, folder, f"{url}/healthz?js-server-only=true"))
            servers.append(NatsServer(f"nats://127.0.0.1:{client}", client, url, process.pid))
        yield servers


@contextmanager
def _running(command: list[str], directory: Path, health_url: str) -> Iterator["Popen[bytes]"]:
    with started(
        command,
        environment=dict(os.environ),
        directory=directory,
        output=directory / "nats.log",
        is_ready=lambda: http_status(health_url) == 200,
    ) as process:
        yield process
