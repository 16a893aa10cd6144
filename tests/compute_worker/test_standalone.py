"""`lectern worker` as a process of its own, told only what the specification's rows for workers name."""

import asyncio
import hashlib
import io
import json
import socket
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import Popen
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from reportlab.pdfgen.canvas import Canvas

from compute_worker.documents.artifacts import source_key
from lectern.compute.v1 import documents_pb2, operations_pb2
from lectern.compute.v1.documents_pb2_grpc import DocumentServiceStub
from lectern.compute.v1.operations_pb2_grpc import OperationServiceStub
from servers.lectern import LECTERN, lectern_environment
from servers.nats import running_nats
from servers.object_store import ObjectStoreServer
from servers.ports import free_port
from servers.processes import http_status, started, wait_until
from shared.objects.s3_store import S3Options, open_s3_store

sys.path.insert(0, str(Path(__file__).parent / "whisper"))
import tiny_whisper

TOKEN = "worker-token-0123456789abcdef"
PATIENCE_SECONDS = 60
DRIP_SECONDS = 5  # less than a download waits for its next byte
V4_MAPPED = "0000000000000000FFFF0000"  # an address of IPv4 in /proc/net/tcp6
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


class ModelServer(ThreadingHTTPServer):
    """An alignment model under /align; a layout model under /layout that does not come to its end."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        self.is_over = threading.Event()
        super().__init__(("127.0.0.1", 0), partial(_Files, directory=str(folder)))

    def address(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{name}"


class _Files(SimpleHTTPRequestHandler):
    server: ModelServer

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.path.startswith("/layout/"):
            self.send_response(200)
            self.end_headers()
            with suppress(ConnectionError):
                while not self.server.is_over.wait(DRIP_SECONDS):
                    self.wfile.write(b" ")
            self.close_connection = True
        else:
            super().do_GET()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def models(tmp_path: Path) -> Iterator[ModelServer]:
    folder = tmp_path / "models" / "align"
    folder.mkdir(parents=True)
    tiny_whisper.export(tiny_whisper.random_weights(5), folder)
    files = [
        {
            "path": file.name,
            "sizeBytes": file.stat().st_size,
            "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        }
        for file in folder.iterdir()
    ]
    manifest = {"version": 1, "kind": "align-whisper-onnx", "files": files}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with ModelServer(folder.parent) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield server
        server.is_over.set()
        server.shutdown()
        serving.join()


@dataclass(frozen=True)
class Worker:
    """As its callers see it."""

    process: "Popen[bytes]"
    host: str
    port: int
    grpc_port: int
    log: Path

    def ready(self) -> tuple[int, Any]:
        return self.got("/health/ready")

    def got(self, path: str, token: str = TOKEN) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {token}"}
        request = urllib.request.Request(f"http://{self.host}:{self.port}{path}", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def called(self, stub: Any, method: str, request: Any, token: str = TOKEN) -> Any:
        with grpc.insecure_channel(f"{self.host}:{self.grpc_port}") as channel:
            call = getattr(stub(channel), method)
            return call(request, timeout=20, metadata=[("authorization", f"Bearer {token}")])

    def operation(self, operation_id: str) -> operations_pb2.Operation:
        request = operations_pb2.GetOperationRequest(operation_id=operation_id)
        return self.called(OperationServiceStub, "GetOperation", request).operation

    def health(self) -> int:
        request = health_pb2.HealthCheckRequest()
        return self.called(health_pb2_grpc.HealthStub, "Check", request, token="").status

    def ended(self) -> int:
        self.process.terminate()
        return self.process.wait(20)


@contextmanager
def worker(
    folder: Path, store: ObjectStoreServer, broker_port: int, *, host: str, **more: str
) -> Iterator[Worker]:
    """From when it lives on, whether or not it is ready."""
    folder.mkdir()
    system = {name: text for name, text in lectern_environment().items() if name in {"PATH", "PYTHONPATH"}}
    port, grpc_port = free_port(), free_port()
    environment = {
        **system,
        "PORT": str(port),
        "COMPUTE_WORKER_HOST": host,
        "COMPUTE_WORKER_GRPC_PORT": str(grpc_port),
        "COMPUTE_WORKER_TOKEN": TOKEN,
        "BROKER_URL": f"nats://127.0.0.1:{broker_port}",
        "COMPUTE_CREDENTIAL_BROKER_URL": f"grpc://127.0.0.1:{free_port()}",
        "COMPUTE_CREDENTIAL_BROKER_TOKEN": "c" * 32,
        "TTS_PLAYBACK_TOKEN_SECRET": "p" * 32,
        "S3_INTERNAL_ENDPOINT": store.endpoint,
        "S3_ACCESS_KEY_ID": store.access_key,
        "S3_SECRET_ACCESS_KEY": store.secret_key,
        "S3_BUCKET": store.bucket,
        "S3_REGION": store.region,
        "S3_PREFIX": "standalone",
        **more,
    }
    log = folder / "worker.log"
    with started(
        [*LECTERN, "worker", "--no-env-file"],
        environment=environment,
        directory=folder,
        output=log,
        is_ready=lambda: http_status(f"http://{host}:{port}/health/live") == 200,
        ready_seconds=PATIENCE_SECONDS,
    ) as process:
        yield Worker(process, host, port, grpc_port, log)
    assert "Traceback" not in log.read_text()


def put_pdf(store: ObjectStoreServer) -> str:
    """Its SHA-256."""
    content = io.BytesIO()
    canvas = Canvas(content)
    canvas.drawString(72, 720, "Handed over from one worker to the next.")
    canvas.save()
    sha256 = hashlib.sha256(content.getvalue()).hexdigest()

    async def put() -> None:
        async with open_s3_store(S3Options.of(store.settings(prefix="standalone"))) as objects:
            await objects.put(source_key(sha256), content.getvalue())

    asyncio.run(put())
    return sha256


def refusal(asking: Any) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.RpcError) as caught:
        asking()
    return caught.value.code(), caught.value.details()


def listening_at(process: "Popen[bytes]") -> set[tuple[str, int]]:
    """Every address at which the process takes connections, as the kernel lists them."""
    files = []
    for file in Path(f"/proc/{process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            files.append(str(file.readlink()))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in files:  # it listens
                address, port = fields[1].removeprefix(V4_MAPPED).split(":")
                host = socket.inet_ntoa(bytes.fromhex(address)[::-1]) if len(address) == 8 else address
                found.add((host, int(port, 16)))
    return found


@pytest.mark.timeout(240)
def test_a_worker_is_there_before_its_broker_and_hands_its_job_on_when_it_is_stopped(
    tmp_path: Path, object_store: ObjectStoreServer, models: ModelServer
) -> None:
    broker_port = free_port()
    prewarmed = {
        "COMPUTE_PREWARM_MODELS": "true",
        "ALIGN_MODEL_BASE_URL": models.address("align"),
        "PDF_LAYOUT_MODEL_BASE_URL": models.address("layout"),
    }
    with worker(tmp_path / "first", object_store, broker_port, host="127.0.0.2", **prewarmed) as first:
        check_it_waits(first)
        with worker(tmp_path / "impatient", object_store, broker_port, host="127.0.0.1") as impatient:
            assert impatient.ended() == 0
        assert "worker stopped" in impatient.log.read_text()
        with running_nats(tmp_path / "broker", port=broker_port):
            wait_until(lambda: first.health() == SERVING, seconds=PATIENCE_SECONDS, what="it works")
            assert first.ready()[0] == 200
            check_tokens(first)
            check_models(first, models, tmp_path / "first")
            asked = documents_pb2.ParseDocumentRequest(
                document_sha256=put_pdf(object_store), format=documents_pb2.DOCUMENT_FORMAT_PDF
            )
            operation_id = first.called(DocumentServiceStub, "ParseDocument", asked).operation.operation_id
            wait_until(
                lambda: first.operation(operation_id).progress.phase == "layout model",
                seconds=PATIENCE_SECONDS,
                what="the job waits for its model",
            )
            with worker(tmp_path / "second", object_store, broker_port, host="127.0.0.1") as second:
                wait_until(lambda: second.health() == SERVING, seconds=PATIENCE_SECONDS, what="it works")
                of_first = second.operation(operation_id)
                assert of_first.state == operations_pb2.OPERATION_STATE_RUNNING
                assert first.ended() == 0
                wait_until(
                    lambda: second.operation(operation_id).state == operations_pb2.OPERATION_STATE_SUCCEEDED,
                    seconds=PATIENCE_SECONDS,
                    what="the other worker has done it",
                )
                done = second.operation(operation_id)
                assert done.worker_id != of_first.worker_id
                assert done.attempt == of_first.attempt  # stopped on purpose, it used up none
                assert second.ended() == 0


def check_it_waits(waiting: Worker) -> None:
    """What anybody may see says what is missing; who asks for what needs the broker is told so at once."""
    assert waiting.got("/health/live")[0] == 200
    status, body = waiting.ready()
    assert (status, body["status"]) == (503, "unready")
    assert body["dependencies"]["broker"]["message"] == (
        "The broker is not there yet (Connection refused). The worker's log says what to do."
    )
    assert body["dependencies"]["object_store"]["status"] == "ready"
    assert waiting.health() == NOT_SERVING
    code, message = refusal(lambda: waiting.operation("any"))
    assert code is grpc.StatusCode.UNAVAILABLE
    status, body = waiting.got("/v1/operations/any")
    assert (status, body["details"]["reason"]) == (503, "BROKER_UNAVAILABLE")
    assert body["message"] == message == "The message broker did not answer. Trying again may help."
    assert listening_at(waiting.process) == {
        (waiting.host, waiting.port),
        (waiting.host, waiting.grpc_port),
    }


def check_tokens(working: Worker) -> None:
    asked = operations_pb2.GetOperationRequest(operation_id="none")
    for token, code, status in (
        (TOKEN, grpc.StatusCode.NOT_FOUND, 404),
        ("another", grpc.StatusCode.UNAUTHENTICATED, 401),
    ):
        call = partial(working.called, OperationServiceStub, "GetOperation", asked, token)
        assert refusal(call)[0] is code
        assert working.got("/v1/operations/none", token)[0] == status


def check_models(prewarmed: Worker, models: ModelServer, folder: Path) -> None:
    """Fetched before any document asked for them."""
    wait_until(
        lambda: prewarmed.ready()[1]["alignmentModel"]["status"] == "installed",
        seconds=PATIENCE_SECONDS,
        what="the alignment model is there",
    )
    wait_until(
        lambda: "the alignment model is ready" in prewarmed.log.read_text(),
        seconds=PATIENCE_SECONDS,
        what="the alignment model can be used",
    )
    assert "/layout/manifest.json" in models.asked
    assert list((folder / "docstore" / "models").rglob("*.onnx"))
