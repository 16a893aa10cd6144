"""The layout model's way from a server to the documents, over a server that the test starts."""

import asyncio
import hashlib
import io
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer
from books.layout_detectors import Place, write_detector
from reportlab.pdfgen.canvas import Canvas

from compute_worker.documents.artifacts import load_document, source_key
from compute_worker.documents.handler import DocumentHandler
from compute_worker.documents.layout_model.settings import read_settings
from compute_worker.documents.layout_models import LayoutModels
from compute_worker.documents.parser_process import ParserLimits, ParserProcess
from compute_worker.documents.passwords import DocumentPasswords
from compute_worker.model_files.folder import ModelFolder
from compute_worker.operations.ports import Job
from shared.objects.memory_store import MemoryStore

KIND = "pdf-layout"


class ModelServer:
    """Files of a model under /layout; may hold answers back, or have nothing."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.asked: list[str] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        app = web.Application()
        app.router.add_get("/layout/{name}", self._answer)
        self.server = TestServer(app)

    @property
    def base_url(self) -> str:
        return str(self.server.make_url("/layout"))

    async def _answer(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        self.asked.append(name)
        await self.may_answer.wait()
        if name not in self.files:
            raise web.HTTPNotFound
        return web.Response(body=self.files[name])


def model_files(folder: Path, kind: str = KIND) -> dict[str, bytes]:
    folder.mkdir()
    write_detector(folder, [Place("text", 0.1, 0.1, 0.9, 0.9)], output="rows")
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    listed = [
        {"path": name, "sizeBytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
        for name, body in files.items()
    ]
    return files | {"manifest.json": json.dumps({"version": 1, "kind": kind, "files": listed}).encode()}


@pytest.fixture
async def model_server(tmp_path: Path) -> AsyncIterator[ModelServer]:
    serving = ModelServer(model_files(tmp_path / "made"))
    await serving.server.start_server()
    yield serving
    serving.may_answer.set()
    await serving.server.close()


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def models(model_server: ModelServer, clock: Clock, tmp_path: Path) -> AsyncIterator[LayoutModels]:
    async with ClientSession() as session:
        folder = ModelFolder(folder=tmp_path / "models", base_url=model_server.base_url, session=session)
        models = LayoutModels(model=folder, parser_seconds=300, clock=clock)
        yield models
        await models.aclose()


class Reports:
    def __init__(self) -> None:
        self.phases: list[str] = []

    async def report(self, *, phase: str, done: int, total: int = 0) -> None:
        self.phases.append(phase)


async def test_the_model_is_downloaded_once_for_all_documents(
    models: LayoutModels, model_server: ModelServer
) -> None:
    reports = Reports()
    first, second = await asyncio.gather(models.options(reports), models.options())
    assert first == second
    assert set(reports.phases) == {"layout model"}
    assert first["layout_seconds"] == 120
    assert read_settings(Path(str(first["layout_folder"]))).name == "Tiny detector"
    assert sorted(model_server.asked) == ["layout.json", "manifest.json", "model.onnx"]
    await models.options()
    assert len(model_server.asked) == 3


async def test_a_document_is_laid_out_by_the_model_and_says_so(models: LayoutModels, tmp_path: Path) -> None:
    content, store = text_pdf(), MemoryStore()
    digest = hashlib.sha256(content).hexdigest()
    await store.put(source_key(digest), content)
    handler = DocumentHandler(
        store=store,
        passwords=DocumentPasswords(secret="secret"),
        parser=ParserProcess(limits=ParserLimits(wall_seconds=60)),
        layout_models=models,
        temporary_folder=tmp_path,
    )
    arguments = {"sha256": digest, "format": "pdf", "file_name": "river.pdf"}
    reports = Reports()
    ref = await handler.run(Job(operation_id="1", attempt=1, arguments=arguments), reports)
    assert "layout model" in reports.phases
    layout = (await load_document(store, ref)).layout
    assert layout
    assert (layout.model, layout.model_pages, layout.reason) == ("Tiny detector", 1, "")


def text_pdf() -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(300, 400))
    for line in range(20):
        canvas.drawString(40, 340 - 14 * line, "The river rose for the third time.")
    canvas.save()
    return buffer.getvalue()


async def test_prewarming_begins_the_download_before_any_document(
    models: LayoutModels, model_server: ModelServer
) -> None:
    await models.prewarm()
    async with asyncio.timeout(20):
        while len(model_server.asked) < 3:
            await asyncio.sleep(0.01)
    assert "layout_folder" in await models.options()
    assert len(model_server.asked) == 3


async def test_a_document_does_not_wait_for_ever_for_a_model_that_is_arriving(
    models: LayoutModels, model_server: ModelServer, clock: Clock
) -> None:
    model_server.may_answer.clear()

    class Impatient(Reports):
        async def report(self, *, phase: str, done: int, total: int = 0) -> None:
            clock.seconds += 200

    assert await models.options(Impatient()) == {
        "layout_unavailable": "The layout model is still being downloaded."
    }
    model_server.may_answer.set()
    assert "layout_folder" in await models.options()


async def test_a_model_that_cannot_be_had_is_told_and_tried_again_later(
    models: LayoutModels, model_server: ModelServer, clock: Clock
) -> None:
    manifest = model_server.files.pop("manifest.json")
    told = await models.options()
    assert "There is no model file" in str(told["layout_unavailable"])
    model_server.files["manifest.json"] = manifest
    assert await models.options() == told
    assert model_server.asked == ["manifest.json"]
    clock.seconds += 601
    assert "layout_folder" in await models.options()


async def test_a_damaged_file_is_not_used(models: LayoutModels, model_server: ModelServer) -> None:
    body = model_server.files["model.onnx"]
    model_server.files["model.onnx"] = bytes(len(body))
    assert "SHA-256" in str((await models.options())["layout_unavailable"])


async def test_a_model_of_another_kind_is_not_used(
    models: LayoutModels, model_server: ModelServer, tmp_path: Path
) -> None:
    model_server.files = await asyncio.to_thread(model_files, tmp_path / "other", "alignment")
    assert "alignment" in str((await models.options())["layout_unavailable"])
