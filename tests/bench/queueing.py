"""Operations through the queue, and calls over gRPC and over the HTTP gateway, with so many workers."""

import asyncio
import hashlib
import random
import statistics
import time
from itertools import cycle
from typing import Any

from bench.books import text_book
from bench.figures import Figure, Report
from bench.reader import Reader
from compute_worker.operations.model import OperationKind, operation_id_of
from lectern.compute.v1 import documents_pb2, operations_pb2, playback_pb2
from lectern.compute.v1.documents_pb2_grpc import DocumentServiceStub
from lectern.compute.v1.operations_pb2_grpc import OperationServiceStub
from lectern.compute.v1.playback_pb2_grpc import PlaybackServiceStub

DOCUMENTS = 12
RUNS = 200
RUNS_AT_ONCE = 20
CALLS = 200
WAIT_SECONDS = 0.01
PATIENCE_SECONDS = 60.0
SUCCEEDED = operations_pb2.OPERATION_STATE_SUCCEEDED


async def measure_queue(
    reader: Reader, grpc: list[Any], gateway: list[Any], *, source: random.Random, report: Report
) -> None:
    """grpc, gateway: a channel to each worker."""
    among = f"{len(grpc)} workers"
    parsed = await _spoken_document(reader, grpc[0], source)
    report.add([await _documents(reader, source, among)])
    report.add([await _runs(grpc, parsed.result_ref, among)])
    report.add(await _calls(grpc, gateway, parsed.operation_id, among))


async def _spoken_document(reader: Reader, channel: Any, source: random.Random) -> operations_pb2.Operation:
    """The operation that parsed it. All of its speech is made."""
    body = text_book(source, 2)
    document_id = await reader.upload("queue.txt", body)
    await reader.until_ready(document_id)
    session = await reader.play(document_id)
    await reader.generate(session, 0, session["segmentCount"])
    await reader.until_resting(session)
    return await reading_of(channel, body)


async def reading_of(channel: Any, body: bytes) -> operations_pb2.Operation:
    """The operation that parsed a text, which has been uploaded."""
    answer = await DocumentServiceStub(channel).ParseDocument(
        documents_pb2.ParseDocumentRequest(
            document_sha256=hashlib.sha256(body).hexdigest(),
            format=documents_pb2.DOCUMENT_FORMAT_TEXT,
            file_name="text.txt",
        )
    )
    operation: operations_pb2.Operation = answer.operation
    assert operation.state == SUCCEEDED, operation
    return operation


async def _documents(reader: Reader, source: random.Random, among: str) -> Figure:
    """Small documents uploaded at once: most of it is a child process for each."""
    bodies = [text_book(source, 1) for _ in range(DOCUMENTS)]
    began = time.perf_counter()
    identifiers = await asyncio.gather(*(reader.upload(f"{n}.txt", body) for n, body in enumerate(bodies)))
    await asyncio.gather(*(reader.until_ready(identifier) for identifier in identifiers))
    per_second = DOCUMENTS / (time.perf_counter() - began)
    return Figure(f"documents through upload, queue and parser, {among}", per_second, "/s")


async def _runs(channels: list[Any], reading_ref: str, among: str) -> Figure:
    """Operations with little to do: listeners who start to play what is in the cache. Each is submitted,
    queued, taken by one of the workers, run, and on record as succeeded."""
    gate = asyncio.Semaphore(RUNS_AT_ONCE)
    turns = cycle(channels)

    async def run(number: int) -> None:
        async with gate:
            channel = next(turns)
            session = await PlaybackServiceStub(channel).CreateSession(
                playback_pb2.CreateSessionRequest(
                    owner_id=f"listener {number} with {among}",
                    document_id="bench",
                    reading_ref=reading_ref,
                    start=playback_pb2.StartPosition(ordinal=0),
                    settings=playback_pb2.VoiceSettings(provider_ref="builtin"),
                    background_extent=playback_pb2.EXTENT_SECTION,
                )
            )
            asked = operations_pb2.GetOperationRequest(
                operation_id=operation_id_of(OperationKind.PLAYBACK, session.session_id)
            )
            operations = OperationServiceStub(channel)
            async with asyncio.timeout(PATIENCE_SECONDS):
                while (await operations.GetOperation(asked)).operation.state != SUCCEEDED:
                    await asyncio.sleep(WAIT_SECONDS)

    began = time.perf_counter()
    await asyncio.gather(*(run(number) for number in range(RUNS)))
    per_second = RUNS / (time.perf_counter() - began)
    return Figure(f"operations through the queue, {among}", per_second, "/s")


async def _calls(grpc: list[Any], gateway: list[Any], operation_id: str, among: str) -> list[Figure]:
    """The same call, which succeeds, over both, in turn, of one worker after the other."""
    asked = operations_pb2.GetOperationRequest(operation_id=operation_id)
    times: dict[str, list[float]] = {"grpc": [], "gateway": []}
    for number in range(CALLS):
        for name, channels in (("grpc", grpc), ("gateway", gateway)):
            stub = OperationServiceStub(channels[number % len(channels)])
            began = time.perf_counter()
            answer = await stub.GetOperation(asked)
            times[name].append((time.perf_counter() - began) * 1000)
            assert answer.operation.state == SUCCEEDED, answer
    alone, beside = statistics.median(times["grpc"]), statistics.median(times["gateway"])
    return [
        Figure(f"a call over gRPC, p50, {among}", alone, "ms", 10),
        Figure(f"what the HTTP gateway adds to it, p50, {among}", beside - alone, "ms", 5),
    ]
