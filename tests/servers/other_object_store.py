"""Another S3 server than the embedded one: moto's, a program of its own. It takes any keys."""

import secrets
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from servers.object_store import ObjectStoreServer
from servers.ports import free_port
from servers.processes import http_status, started

BUCKET = "lectern-tests"


@contextmanager
def running_other_object_store(directory: Path) -> Iterator[ObjectStoreServer]:
    directory.mkdir(parents=True, exist_ok=True)
    port = free_port()
    endpoint = f"http://127.0.0.1:{port}"
    with started(
        [str(Path(sys.prefix, "bin", "moto_server")), "-H", "127.0.0.1", "-p", str(port)],
        # Addresses other than Amazon's are S3's only when moto is told so; the rest of it stays unused.
        environment={"MOTO_S3_CUSTOM_ENDPOINTS": endpoint, "HOME": str(directory), "PATH": "/usr/bin:/bin"},
        directory=directory,
        output=directory / "moto.log",
        is_ready=lambda: http_status(f"{endpoint}/moto-api/") == 200,
    ) as process:
        with urllib.request.urlopen(urllib.request.Request(f"{endpoint}/{BUCKET}", method="PUT"), timeout=10):
            pass
        yield ObjectStoreServer(
            endpoint, secrets.token_hex(8), secrets.token_hex(16), BUCKET, "us-east-1", directory, process.pid
        )
