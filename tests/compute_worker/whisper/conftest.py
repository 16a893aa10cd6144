"""The tiny model, exported and served as an operator would: files and their manifest under one address."""

import hashlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

sys.path.insert(0, str(Path(__file__).parent))
import tiny_whisper


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served-whisper")
    tiny_whisper.export(tiny_whisper.random_weights(5), folder)
    files = [
        {
            "path": path.name,
            "sizeBytes": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in sorted(folder.iterdir())
    ]
    manifest = {"version": 1, "kind": "align-whisper-onnx", "files": files}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


@pytest.fixture
async def model_url(model_folder: Path) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_static("/align", model_folder)
    async with TestServer(app) as server:
        yield str(server.make_url("/align"))
