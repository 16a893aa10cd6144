"""A worker that is down, slow, of another version or with another token, over gRPC and the gateway.

What a user is told, and what an operator.
"""

import asyncio
from typing import Any

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from app_server.worker.clients import errors_for_browsers, worker_clients
from lectern.compute.v1 import operations_pb2 as pb
from lectern.compute.v1.documents_pb2_grpc import DocumentServiceServicer
from lectern.compute.v1.operations_pb2_grpc import OperationServiceServicer
from servers.rpc import serving_rpc
from servers.tls import new_certificate, tls_before
from shared.errors import Code, LecternError
from shared.rpc.channel import open_channel
from shared.rpc.statuses import json_of

TOKEN = "token"
PROTOCOLS = {"grpc": "h2", "http": "http/1.1"}
TRANSPORTS = pytest.mark.parametrize("transport", ["grpc", "http"])


class Worker(OperationServiceServicer):
    def __init__(self) -> None:
        self.is_slow = False

    async def GetOperation(self, request: pb.GetOperationRequest, context: Any) -> pb.GetOperationResponse:
        if self.is_slow:
            await asyncio.Event().wait()
        raise LecternError(Code.NOT_FOUND, "There is no such operation.", reason="OPERATION_NOT_FOUND")


async def asked(address: str, *, token: str = TOKEN, seconds: float = 20.0) -> tuple[LecternError, Any]:
    """What a browser is told, and what is logged."""
    async with open_channel(address, token) as channel:
        request = pb.GetOperationRequest(operation_id="x")
        with capture_logs() as logs, pytest.raises(LecternError) as caught, errors_for_browsers():
            await worker_clients(channel).operations.GetOperation(request, timeout=seconds)
    return caught.value, [entry for entry in logs if entry["event"] == "the worker can't be asked"]


def check(told: LecternError, logs: Any, *, message: str, reason: str, fix: str) -> None:
    assert (told.code, told.reason) == (Code.UNAVAILABLE, "WORKER_UNAVAILABLE"), told
    assert message in told.message
    assert "127.0.0.1" not in told.message
    [entry] = logs
    assert entry["reason"] == reason
    assert fix in entry["fix"]


@TRANSPORTS
async def test_a_worker_that_is_down(transport, free_port):
    told, logs = await asked(f"{transport}://127.0.0.1:{free_port()}", seconds=5)
    check(
        told,
        logs,
        message="isn't available just now",
        reason="SERVICE_UNREACHABLE",
        fix="COMPUTE_WORKER_URL",
    )


@TRANSPORTS
async def test_a_worker_that_is_slow(transport):
    worker = Worker()
    worker.is_slow = True
    async with serving_rpc(transport, [worker], token=TOKEN) as address:
        told, logs = await asked(address, seconds=0.5)
    check(told, logs, message="takes too long", reason="NO_ANSWER", fix="more workers")


@TRANSPORTS
async def test_a_worker_with_another_token(transport):
    async with serving_rpc(transport, [Worker()], token=TOKEN) as address:
        told, logs = await asked(address, token="another")
    check(told, logs, message="tell the administrator", reason="TOKEN_REFUSED", fix="COMPUTE_WORKER_TOKEN")


@TRANSPORTS
async def test_a_worker_whose_certificate_is_not_trusted(transport, tmp_path):
    context = new_certificate(tmp_path, host="localhost").context(PROTOCOLS[transport])
    async with (
        serving_rpc(transport, [Worker()], token=TOKEN) as address,
        tls_before(int(address.rpartition(":")[2]), context) as port,
    ):
        told, logs = await asked(f"{transport}s://localhost:{port}")
    check(told, logs, message="tell the administrator", reason="CERTIFICATE_UNTRUSTED", fix="SSL_CERT_FILE")


@TRANSPORTS
async def test_a_worker_of_another_version(transport):
    """It doesn't know what it is asked."""
    async with serving_rpc(transport, [DocumentServiceServicer()], token=TOKEN) as address:
        told, logs = await asked(address)
    check(
        told,
        logs,
        message="tell the administrator",
        reason="UNIMPLEMENTED",
        fix="the same one on both sides",
    )


async def test_an_older_worker_that_is_sent_what_it_does_not_know():
    """Its gateway refuses it, as it does a stranger's mistake; gRPC skips it."""
    app = web.Application()

    async def refuse(_request: web.Request) -> web.Response:
        refused = LecternError(Code.INVALID_ARGUMENT, "no field named newer", reason="REQUEST_MALFORMED")
        return web.json_response(json_of(refused, request_id="r"), status=400)

    app.router.add_route("*", "/{anything:.*}", refuse)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        told, logs = await asked(f"http://127.0.0.1:{runner.addresses[0][1]}")
    finally:
        await runner.cleanup()
    check(
        told,
        logs,
        message="tell the administrator",
        reason="REQUEST_MALFORMED",
        fix="the same one on both sides",
    )
    assert "newer" not in told.message


@TRANSPORTS
async def test_what_a_worker_itself_answers_passes(transport):
    async with serving_rpc(transport, [Worker()], token=TOKEN) as address:
        told, logs = await asked(address)
    assert (told.code, told.reason, logs) == (Code.NOT_FOUND, "OPERATION_NOT_FOUND", [])
