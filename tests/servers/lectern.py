"""A whole `lectern serve` in a workspace of its own, on free ports."""

import os
import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from servers.ports import free_port
from servers.processes import http_status, processes_in, started, wait_until

ROOT = Path(__file__).parents[2]
LECTERN = (sys.executable, "-m", "shared.cli")

PORTS = (
    "PORT",
    "CREDENTIAL_BROKER_GRPC_PORT",
    "EMBEDDED_COMPUTE_WORKER_PORT",
    "COMPUTE_WORKER_GRPC_PORT",
    "EMBEDDED_BROKER_PORT",
    "EMBEDDED_BROKER_MONITOR_PORT",
    "OBJSTORE_PORT",
)
# Part of each child's command line; the launcher of a child that has just been started shows it too.
_CHILDREN = {
    "broker": "nats-server --config",
    "object store": "rclone serve s3",
    "worker": "shared.cli worker",
}


@dataclass(frozen=True)
class LecternInstance:
    workspace: Path
    environment: Mapping[str, str]
    pid: int
    output: Path

    @property
    def base_url(self) -> str:
        return self.environment["BASE_URL"]

    @property
    def worker_url(self) -> str:
        return f"http://127.0.0.1:{self.environment['EMBEDDED_COMPUTE_WORKER_PORT']}"

    @property
    def worker_public_url(self) -> str:
        return f"http://localhost:{self.environment['EMBEDDED_COMPUTE_WORKER_PORT']}"

    @property
    def worker_grpc_address(self) -> str:
        return f"127.0.0.1:{self.environment['COMPUTE_WORKER_GRPC_PORT']}"

    def child_pid(self, name: str) -> int | None:
        """broker, object store or worker."""
        for pid, command in processes_in(self.workspace).items():
            if _CHILDREN[name] in command and "tied_launcher" not in command:
                return pid
        return None

    def said(self) -> str:
        return self.output.read_text(errors="replace")


def lectern_environment(**variables: str) -> dict[str, str]:
    """What a new instance needs, on free ports; variables replace or add."""
    ports = {name: str(free_port()) for name in PORTS}
    inherited = {name: os.environ[name] for name in ("HOME", "LANG", "PATH", "TMPDIR") if name in os.environ}
    return {
        **inherited,
        **ports,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'gen'}",
        "BASE_URL": f"http://localhost:{ports['PORT']}",
        "AUTH_SECRET": secrets.token_urlsafe(32),
        "DISABLE_AUTH_RATE_LIMIT": "true",  # everybody in the tests has one address
        **variables,
    }


@contextmanager
def running_lectern(
    workspace: Path, *, environment: Mapping[str, str] | None = None, ready_seconds: float = 60.0
) -> Iterator[LecternInstance]:
    """Ready when all parts are. Afterwards no process is left in the workspace."""
    workspace.mkdir(parents=True, exist_ok=True)
    variables = environment or lectern_environment()
    output = workspace / "lectern.log"
    base_url, worker_port = variables["BASE_URL"], variables["EMBEDDED_COMPUTE_WORKER_PORT"]
    urls = (f"{base_url}/health/ready", f"http://127.0.0.1:{worker_port}/health/ready")
    try:
        with started(
            [*LECTERN, "serve"],
            environment=variables,
            directory=workspace,
            output=output,
            is_ready=lambda: all(http_status(url) == 200 for url in urls),
            ready_seconds=ready_seconds,
        ) as process:
            yield LecternInstance(workspace, variables, process.pid, output)
    finally:
        wait_until(lambda: not processes_in(workspace), seconds=5, what=f"no process left in {workspace}")
