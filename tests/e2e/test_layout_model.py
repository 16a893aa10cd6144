"""A PDF through a whole instance that has the address of a layout model: fetched when first needed, and said
of the document. The model is tiny, with known weights, and served by this test."""

import asyncio
import hashlib
import io
import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from books.layout_detectors import Place, write_detector
from reportlab.pdfgen.canvas import Canvas

from bench.reader import Reader
from servers.lectern import LecternInstance, lectern_environment, running_lectern

# What geometry would never say of this page: its first lines are a heading and a note.
PLACES = [
    Place("text", 0.1, 0.5, 0.9, 0.9),
    Place("doc_title", 0.1, 0.1, 0.9, 0.22),
    Place("footnote", 0.1, 0.25, 0.9, 0.45),
]


class ModelServer:
    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Handler(SimpleHTTPRequestHandler):
            def log_request(self, code: object = "-", size: object = "-") -> None:
                asked.append(self.path)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        self.base_url = f"http://127.0.0.1:{self.server.server_address[1]}/layout"


@pytest.fixture
def model_server(tmp_path: Path) -> Iterator[ModelServer]:
    folder = tmp_path / "web" / "layout"
    folder.mkdir(parents=True)
    write_detector(folder, PLACES, output="rows")
    files = [
        {
            "path": path.name,
            "sizeBytes": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in sorted(folder.iterdir())
    ]
    manifest = {"version": 1, "kind": "pdf-layout", "files": files}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    serving = ModelServer(folder.parent)
    thread = threading.Thread(target=serving.server.serve_forever, args=(0.05,))
    thread.start()
    yield serving
    serving.server.shutdown()
    thread.join()
    serving.server.server_close()


def page(word: str) -> bytes:
    """Three stretches of the same type, where the model looks for a title, a note and text."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(300, 400))
    for kind, tops in (("title", (350, 336)), ("note", (280, 266, 252, 238)), ("text", range(190, 60, -14))):
        for top in tops:
            canvas.drawString(34, top, f"The {word} {kind} and its own many words")
    canvas.save()
    return buffer.getvalue()


@pytest.fixture
def instance(tmp_path: Path, model_server: ModelServer) -> Iterator[LecternInstance]:
    environment = lectern_environment(PDF_LAYOUT_MODEL_BASE_URL=model_server.base_url)
    with running_lectern(tmp_path / "lectern", environment=environment, ready_seconds=180) as running:
        yield running


async def test_a_pdf_is_laid_out_by_the_model_of_the_operator(
    instance: LecternInstance, model_server: ModelServer
) -> None:
    assert model_server.asked == []
    async with Reader.signed_up(instance.base_url) as reader:
        documents = await asyncio.gather(*(reader.upload(f"{word}.pdf", page(word)) for word in "ab"))
        for document_id in documents:
            await reader.until_ready(document_id)
            reading = await reader.get(f"/api/documents/{document_id}/reading")
            assert reading["layout"] == {"model": "Tiny detector", "modelPages": 1}
            blocks = (await reader.get(f"/api/documents/{document_id}/sections/0"))["blocks"]
            roles = {block["text"].split()[2]: block["role"] for block in blocks}
            assert roles == {
                "title": "BLOCK_ROLE_TITLE",
                "note": "BLOCK_ROLE_FOOTNOTE",
                "text": "BLOCK_ROLE_PARAGRAPH",
            }
    names = ("layout.json", "manifest.json", "model.onnx")
    assert sorted(model_server.asked) == [f"/layout/{name}" for name in names]
