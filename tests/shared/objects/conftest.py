import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shared.objects.memory_store import MemoryStore
from shared.objects.ports import ObjectStore
from shared.objects.s3_store import S3Options, S3Store, open_s3_store

ACCESS_KEY_ID = "lectern-test"
SECRET_ACCESS_KEY = "not-a-secret"


@pytest.fixture
async def s3_endpoint(tmp_path: Path) -> AsyncIterator[str]:
    """A real rclone serving an empty folder, started for one test."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tmp_path / "objects"
    folder.mkdir()
    process = await asyncio.create_subprocess_exec(
        Path(sys.executable).with_name("rclone"),
        *("serve", "s3", folder, "--addr", f"127.0.0.1:{port}", "--vfs-cache-mode", "off"),
        env={
            "RCLONE_AUTH_KEY": f'"{ACCESS_KEY_ID},{SECRET_ACCESS_KEY}"',
            "RCLONE_CONFIG": "/dev/null",
            "HOME": str(tmp_path),
            "PATH": os.environ["PATH"],
        },
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await _accepts_connections(process, port)
        yield f"http://127.0.0.1:{port}"
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _accepts_connections(process: asyncio.subprocess.Process, port: int) -> None:
    deadline = asyncio.get_running_loop().time() + 20
    while asyncio.get_running_loop().time() < deadline:
        assert process.returncode is None, "rclone ended at start-up"
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.02)  # polling, with the deadline above
        else:
            writer.close()
            await writer.wait_closed()
            return
    raise AssertionError("rclone does not answer")


@pytest.fixture
def s3_options(s3_endpoint: str) -> S3Options:
    return S3Options(
        endpoint_url=s3_endpoint,
        region="us-east-1",
        bucket="documents",
        access_key_id=ACCESS_KEY_ID,
        secret_access_key=SECRET_ACCESS_KEY,
        prefix="lectern",
    )


@pytest.fixture
async def s3_store(s3_options: S3Options) -> AsyncIterator[S3Store]:
    async with open_s3_store(s3_options) as store:
        await store.ensure_bucket(create=True)
        yield store


@pytest.fixture(params=["memory", "s3"])
def store(request: pytest.FixtureRequest) -> ObjectStore:
    if request.param == "memory":
        return MemoryStore()
    s3: S3Store = request.getfixturevalue("s3_store")
    return s3
