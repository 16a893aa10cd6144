"""Downloading a model from a real HTTP server that can be made to fail."""

import asyncio
import hashlib
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from compute_worker.model_files.folder import ModelFolder
from shared.errors import LecternError

INSTALL = """
import asyncio, sys
from pathlib import Path
from aiohttp import ClientSession
from compute_worker.model_files.folder import ModelFolder

async def tell(done, total):
    pass

async def install():
    async with ClientSession() as session:
        await ModelFolder(folder=Path(sys.argv[1]), base_url=sys.argv[2], session=session).install(tell)

asyncio.run(install())
"""
WEIGHTS, WORDS = os.urandom(3_000_000), b'{"words": []}'


class Shelf:
    """A model on a server; requests are noted as "path range"."""

    def __init__(self) -> None:
        self.files = {"encoder.onnx": WEIGHTS, "text/tokenizer.json": WORDS}
        self.manifest: dict[str, object] = {
            "version": 1,
            "kind": "align",
            "files": [
                {"path": path, "sizeBytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
                for path, body in self.files.items()
            ],
        }
        self.asked: list[str] = []
        self.cut_after: int | None = None
        self.knows_ranges = True

    async def answer(self, request: web.Request) -> web.StreamResponse:
        path, wanted = request.match_info["path"], request.headers.get("Range", "")
        self.asked.append(f"{path} {wanted}".strip())
        if path == "manifest.json":
            return web.json_response(self.manifest)
        if path not in self.files:
            raise web.HTTPNotFound
        body, status = self.files[path], 200
        if wanted and self.knows_ranges:
            body, status = body[int(wanted.removeprefix("bytes=").rstrip("-")) :], 206
        response = web.StreamResponse(status=status, headers={"Content-Length": str(len(body))})
        await response.prepare(request)
        if self.cut_after is not None and len(body) > self.cut_after:
            await response.write(body[: self.cut_after])
            assert request.transport
            request.transport.close()
            return response
        await response.write(body)
        return response


class Told:
    def __init__(self) -> None:
        self.progress: list[tuple[int, int]] = []

    async def __call__(self, done: int, total: int) -> None:
        self.progress.append((done, total))


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
async def base_url(shelf: Shelf) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_get("/models/align/{path:.*}", shelf.answer)
    async with TestServer(app) as server:
        yield str(server.make_url("/models/align"))


@pytest.fixture
async def session() -> AsyncIterator[ClientSession]:
    async with ClientSession() as session:
        yield session


@pytest.fixture
def model(tmp_path: Path, base_url: str, session: ClientSession) -> ModelFolder:
    return ModelFolder(folder=tmp_path, base_url=base_url, session=session, most_bytes=2**23)


async def refused(model: ModelFolder) -> LecternError:
    with pytest.raises(LecternError) as refusal:
        await model.install(Told())
    assert model.installed() is None
    return refusal.value


async def test_a_model_arrives_whole_and_is_not_asked_for_again(model: ModelFolder, shelf: Shelf):
    told = Told()
    assert model.installed() is None
    installed = await model.install(told)
    assert (installed.folder / "encoder.onnx").read_bytes() == WEIGHTS
    assert (installed.folder / "text/tokenizer.json").read_bytes() == WORDS
    assert installed.manifest.kind == "align"
    total = len(WEIGHTS) + len(WORDS)
    assert told.progress[-1] == (total, total)
    assert [done for done, _ in told.progress] == sorted(done for done, _ in told.progress)
    shelf.asked.clear()
    assert await model.install(Told()) == installed == model.installed()
    assert shelf.asked == []


@pytest.mark.parametrize("knows_ranges", [True, False])
async def test_what_arrived_of_a_cut_download_is_kept(model: ModelFolder, shelf: Shelf, knows_ranges: bool):
    shelf.cut_after, shelf.knows_ranges = 2_000_000, knows_ranges
    error = await refused(model)
    assert (error.reason, error.retryable) == ("MODEL_UNREACHABLE", True)
    shelf.cut_after = None
    shelf.asked.clear()
    installed = await model.install(Told())
    assert (installed.folder / "encoder.onnx").read_bytes() == WEIGHTS
    place = int(next(line for line in shelf.asked if line.startswith("encoder")).partition("bytes=")[2][:-1])
    assert 0 < place <= 2_000_000


async def test_a_file_that_is_not_the_one_described_is_refused_and_thrown_away(
    model: ModelFolder, shelf: Shelf
):
    shelf.files["encoder.onnx"] = WEIGHTS[:-1] + b"!"
    error = await refused(model)
    assert error.reason == "MODEL_FILE_DAMAGED"
    assert "encoder.onnx" in error.message
    shelf.files["encoder.onnx"] = WEIGHTS
    assert await model.install(Told())


async def test_a_longer_file_is_refused(model: ModelFolder, shelf: Shelf):
    shelf.files["encoder.onnx"] = WEIGHTS + bytes(5_000_000)
    assert (await refused(model)).reason == "MODEL_FILE_DAMAGED"


async def test_two_who_ask_at_once_download_once(
    model: ModelFolder, shelf: Shelf, tmp_path: Path, base_url: str, session: ClientSession
):
    other = ModelFolder(folder=tmp_path, base_url=base_url + "/", session=session)
    first, second = await asyncio.gather(model.install(Told()), other.install(Told()))
    assert first == second
    assert sorted(shelf.asked) == ["encoder.onnx", "manifest.json", "text/tokenizer.json"]


async def test_two_processes_of_a_machine_download_once(shelf: Shelf, tmp_path: Path, base_url: str):
    """Two workers: what keeps one of them waiting must hold between processes."""
    async with asyncio.timeout(60):
        processes = [
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", INSTALL, str(tmp_path), base_url),
                env={"PYTHONPATH": os.pathsep.join(sys.path)},
            )
            for _ in range(2)
        ]
        try:
            assert [await process.wait() for process in processes] == [0, 0]
        finally:
            for process in processes:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
    assert sorted(shelf.asked) == ["encoder.onnx", "manifest.json", "text/tokenizer.json"]


@pytest.mark.parametrize(
    ("change", "reason", "names"),
    [
        ({"version": 2}, "MODEL_MANIFEST_INVALID", "version"),
        ({"files": []}, "MODEL_MANIFEST_INVALID", "files"),
        ({"files": [{"path": "../x", "sizeBytes": 1, "sha256": "0" * 64}]}, "MODEL_MANIFEST_INVALID", "../x"),
        ({"files": [{"path": "/x", "sizeBytes": 1, "sha256": "0" * 64}]}, "MODEL_MANIFEST_INVALID", "/x"),
        ({"files": [{"path": "x", "sizeBytes": 1, "sha256": "nothing"}]}, "MODEL_MANIFEST_INVALID", "sha256"),
        ({"files": [{"path": "x", "sizeBytes": 2**40, "sha256": "0" * 64}]}, "MODEL_TOO_LARGE", "MB"),
        ({"files": [{"path": "x", "sizeBytes": 1, "sha256": "0" * 64}]}, "MODEL_NOT_FOUND", "/x"),
    ],
)
async def test_a_manifest_that_cannot_be_used_says_why(
    model: ModelFolder, shelf: Shelf, change: dict, reason: str, names: str
):
    shelf.manifest |= change
    error = await refused(model)
    assert error.reason == reason
    assert names in error.message


async def test_nobody_there_can_be_tried_again(tmp_path: Path, session: ClientSession, free_port):
    model = ModelFolder(folder=tmp_path, base_url=f"http://127.0.0.1:{free_port()}", session=session)
    assert (await refused(model)).reason == "MODEL_UNREACHABLE"


async def test_a_folder_that_cannot_be_written_says_where(
    tmp_path: Path, base_url: str, session: ClientSession
):
    (tmp_path / "models").write_text("in the way")
    error = await refused(ModelFolder(folder=tmp_path / "models", base_url=base_url, session=session))
    assert error.reason == "MODEL_DISK"
    assert str(tmp_path) in error.message


async def test_what_is_there_is_found_by_the_next_process(model: ModelFolder, tmp_path: Path):
    installed = await model.install(Told())
    on_disk = json.loads((installed.folder / "manifest.json").read_bytes())
    assert on_disk["kind"] == "align"
    assert not list(installed.folder.parent.glob("partial/*"))
