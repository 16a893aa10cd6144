"""A locked PDF is opened with its password, and the password is found nowhere afterwards."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
import structlog
from books.locked_pdfs import TEXT, locked_pdf
from books.reading import load

from compute_worker.documents.artifacts import (
    document_key,
    load_section,
    reading_ref_of,
    source_key,
    unlocked_key,
)
from compute_worker.documents.handler import DocumentHandler
from compute_worker.documents.parser_process import ParserLimits, ParserProcess
from compute_worker.documents.passwords import DocumentPasswords
from compute_worker.documents.pdf.file import open_pdf
from compute_worker.documents.servicer import DocumentServicer
from compute_worker.operations.broker import BrokerLimits, connect_broker
from compute_worker.operations.events import Events
from compute_worker.operations.job_states import JobStates
from compute_worker.operations.lanes import Lane
from compute_worker.operations.model import OperationKind, OperationRecord
from compute_worker.operations.queue import OperationQueue
from compute_worker.operations.runner import OperationRunner, RunnerOptions
from lectern.compute.v1 import documents_pb2 as pb
from servers.nats import running_nats
from shared.errors import Code, LecternError
from shared.objects.memory_store import MemoryStore

SENTINEL = "sentinel-7431"
PASSWORD = f"{SENTINEL}-Öffne-dich"
WRONG = f"{SENTINEL}-wrong"
LOCKED = locked_pdf(PASSWORD)
SHA256 = hashlib.sha256(LOCKED).hexdigest()
SECRET = "a secret of the site"


@dataclass
class Worker:
    servicer: DocumentServicer
    queue: OperationQueue
    store: MemoryStore
    runner: OperationRunner

    async def submit(self, password: str = "", **changes: object) -> OperationRecord:
        fields = {"document_sha256": SHA256, "format": pb.DOCUMENT_FORMAT_PDF, "password": password}
        answer = await self.servicer.ParseDocument(
            pb.ParseDocumentRequest(**fields | changes), SimpleNamespace()
        )
        return await self.queue.get(answer.operation.operation_id)

    async def parse(self, password: str = "", **changes: object) -> OperationRecord:
        record = await self.submit(password, **changes)
        async with asyncio.timeout(60):
            async for change in self.queue.watch(record.operation_id):
                record = change
        return record


@pytest.fixture
def broker_folder(tmp_path: Path) -> Path:
    return tmp_path / "broker"


@pytest.fixture
async def worker(tmp_path: Path, broker_folder: Path) -> AsyncIterator[Worker]:
    with running_nats(broker_folder) as server:
        async with connect_broker({"servers": [server.url]}, name="test", limits=BrokerLimits()) as broker:
            store = MemoryStore()
            await store.put(source_key(SHA256), LOCKED)
            states, events = JobStates(broker=broker), Events(broker=broker)
            queue = OperationQueue(broker=broker, states=states, events=events, stale_seconds=60)
            passwords = DocumentPasswords(secret=SECRET)
            handler = DocumentHandler(
                store=store,
                passwords=passwords,
                parser=ParserProcess(limits=ParserLimits(wall_seconds=60)),
                temporary_folder=tmp_path,
            )
            runner = OperationRunner(
                broker=broker,
                queue=queue,
                handler=handler,
                worker_id="worker",
                options=RunnerOptions(
                    lane=Lane(OperationKind.DOCUMENT),
                    max_attempts=2,
                    max_concurrent=2,
                    heartbeat_seconds=0.5,
                    ack_wait_seconds=10,
                ),
            )
            servicer = DocumentServicer(queue=queue, store=store, passwords=passwords)
            yield Worker(servicer, queue, store, runner)


def bytes_under(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_a_password_opens_the_file_and_is_found_nowhere(worker: Worker, broker_folder: Path) -> None:
    with structlog.testing.capture_logs() as logs:
        waiting = await worker.submit(PASSWORD)
        assert waiting.arguments.get("sealed_password")
        running = asyncio.create_task(worker.runner.run())
        try:
            ended = {password: await worker.parse(password) for password in ("", WRONG, PASSWORD)}
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
    told = {password: record.failure and record.failure.code for password, record in ended.items()}
    assert told == {"": "PASSWORD_REQUIRED", WRONG: "PASSWORD_WRONG", PASSWORD: None}
    opened = ended[PASSWORD]
    assert opened.operation_id == waiting.operation_id
    assert (await load_section(worker.store, opened.result_ref, 0)).blocks[0].text == TEXT
    assert not any("sealed_password" in record.arguments for record in ended.values())
    assert await worker.store.info(document_key(reading_ref_of(SHA256, "pdf"))) is None

    kept = await asyncio.to_thread(bytes_under, broker_folder)
    assert SHA256.encode() in kept, "the broker's files are not what is looked through"
    keys = [info.key async for info in worker.store.list("")]
    objects = b"".join([await worker.store.get(key) for key in keys])
    everything = b"\n".join([kept, objects, repr([logs, keys, ended.values()]).encode()])
    assert SENTINEL.encode() not in everything
    assert SENTINEL.encode("utf-16-le") not in everything
    for word in (PASSWORD, WRONG):
        assert hashlib.sha256(word.encode()).hexdigest().encode() not in everything


async def test_what_a_password_opened_is_apart_and_kept_without_its_lock(
    worker: Worker, tmp_path: Path
) -> None:
    running = asyncio.create_task(worker.runner.run())
    try:
        ref = (await worker.parse(PASSWORD)).result_ref
        assert (await worker.parse()).failure is not None, "who gives no password gets nothing"
        assert (await worker.parse(PASSWORD)).result_ref == ref
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    path = tmp_path / "unlocked.pdf"
    path.write_bytes(await worker.store.get(unlocked_key(ref)))
    with open_pdf(path) as file:
        assert (file.page_count, file.is_locked) == (1, False)


async def test_what_an_older_parser_read_is_read_anew_without_the_password(worker: Worker) -> None:
    running = asyncio.create_task(worker.runner.run())
    try:
        first = await worker.parse(PASSWORD)
        name = first.result_ref.rpartition("-")[2]
        earlier_ref = f"reading/{SHA256}/0-pdf-{name}"  # name ends with a slash
        await worker.store.copy(unlocked_key(first.result_ref), unlocked_key(earlier_ref))
        await worker.store.delete_prefix(first.result_ref)
        again = await worker.parse(earlier_ref=earlier_ref)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert again.failure is None
    assert again.result_ref == first.result_ref
    assert (await load_section(worker.store, again.result_ref, 0)).blocks[0].text == TEXT
    assert await worker.store.info(unlocked_key(again.result_ref)) is not None


@pytest.mark.parametrize(
    "reference", [f"{'1' * 64}/1-pdf-{'a' * 32}/", f"{SHA256}/1-pdf/", f"{SHA256}/../x/"]
)
async def test_what_no_password_opened_of_this_file_is_refused(worker: Worker, reference: str) -> None:
    with pytest.raises(LecternError) as caught:
        await worker.submit(earlier_ref=f"reading/{reference}")
    assert caught.value.details == {"field": "earlier_ref"}


@pytest.mark.parametrize(
    ("password", "source_format", "words"),
    [("x" * 1001, pb.DOCUMENT_FORMAT_PDF, "1,000 bytes"), ("x", pb.DOCUMENT_FORMAT_EPUB, "Only PDF")],
)
async def test_a_password_that_cannot_be_one_is_refused(
    password: str, source_format: pb.DocumentFormat, words: str
) -> None:
    servicer = DocumentServicer(
        queue=SimpleNamespace(),  # type: ignore[arg-type] - refused before it is asked
        store=MemoryStore(),
        passwords=DocumentPasswords(secret=SECRET),
    )
    request = pb.ParseDocumentRequest(document_sha256=SHA256, format=source_format, password=password)
    with pytest.raises(LecternError, match=words) as caught:
        await servicer.ParseDocument(request, SimpleNamespace())
    assert (caught.value.code, caught.value.details) == (Code.INVALID_ARGUMENT, {"field": "password"})


def test_a_seal_opens_only_for_its_document_and_its_site() -> None:
    here, elsewhere = DocumentPasswords(secret=SECRET), DocumentPasswords(secret="another secret")
    sealed = here.seal(PASSWORD, SHA256)
    assert here.unseal(sealed, SHA256) == PASSWORD
    assert sealed != here.seal(PASSWORD, SHA256)
    assert here.name(PASSWORD, SHA256) != here.name(PASSWORD, "0" * 64)
    assert here.name(PASSWORD, SHA256) != elsewhere.name(PASSWORD, SHA256)
    for passwords, text, sha256 in [
        (elsewhere, sealed, SHA256),
        (here, sealed, "0" * 64),
        (here, sealed[:-8] + "AAAAAAA=", SHA256),
        (here, "no base64", SHA256),
        (here, "", SHA256),
    ]:
        with pytest.raises(LecternError) as caught:
            passwords.unseal(text, sha256)
        assert caught.value.reason == "PASSWORD_REQUIRED"


async def parse(folder: Path, content: bytes, **options: str) -> None:
    source = folder / "source.pdf"
    source.write_bytes(content)
    (folder / "artifacts").mkdir()

    async def ignore(phase: str, done: int, total: int) -> None:
        pass

    await ParserProcess(limits=ParserLimits(wall_seconds=60)).parse(
        path=source,
        folder=folder / "artifacts",
        source_format="pdf",
        file_name="x.pdf",
        on_progress=ignore,
        options=options,
    )


@pytest.mark.parametrize("strength", [40, 128])
async def test_an_owners_password_alone_keeps_nobody_out(tmp_path: Path, strength: int) -> None:
    await parse(tmp_path, locked_pdf("", strength=strength), password="a password nobody asked for")
    assert load(tmp_path / "artifacts").texts() == [TEXT]
    assert not (tmp_path / "artifacts" / "unlocked.pdf").exists()
