"""A real `rclone serve s3` on a free port, with a bucket and keys."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from app_server.supervisor.servers import bundled_program
from servers.ports import free_port
from servers.processes import http_status, started
from shared.configuration.settings import StorageSettings


@dataclass(frozen=True)
class ObjectStoreServer:
    endpoint: str
    access_key: str
    secret_key: str = field(repr=False)
    bucket: str
    region: str
    directory: Path
    pid: int

    def settings(self, *, prefix: str) -> StorageSettings:
        """A prefix of its own keeps a test's objects apart from the others'."""
        return StorageSettings(
            endpoint=self.endpoint,
            bucket=self.bucket,
            region=self.region,
            access_key=self.access_key,
            secret_key=self.secret_key,
            prefix=prefix,
            force_path_style=True,
            auto_create_bucket=False,
        )


@contextmanager
def running_object_store(
    directory: Path, *, again: ObjectStoreServer | None = None
) -> Iterator[ObjectStoreServer]:
    """again: one that has ended, on its port and with its keys."""
    bucket = "lectern-tests"
    data = directory / "data"
    (data / bucket).mkdir(parents=True, exist_ok=True)
    endpoint = again.endpoint if again else f"http://127.0.0.1:{free_port()}"
    access_key, secret_key = (
        (again.access_key, again.secret_key) if again else (secrets.token_hex(8), secrets.token_hex(16))
    )
    with started(
        [bundled_program("rclone"), "serve", "s3", str(data), "--addr", endpoint.removeprefix("http://")],
        environment=os.environ | {"RCLONE_AUTH_KEY": f'"{access_key},{secret_key}"', "RCLONE_CONFIG": ""},
        directory=directory,
        output=directory / "rclone.log",
        is_ready=lambda: http_status(endpoint) is not None,
    ) as process:
        yield ObjectStoreServer(
            endpoint, access_key, secret_key, bucket, "us-east-1", data / bucket, process.pid
        )
