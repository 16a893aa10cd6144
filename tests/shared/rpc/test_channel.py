"""Addresses, servers that are down, strangers that answer, and what calls carry."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from structlog.contextvars import bound_contextvars, get_contextvars

from lectern.compute.v1.playback_pb2 import GetPlanRequest, GetPlanResponse, WatchSessionRequest
from lectern.compute.v1.playback_pb2_grpc import PlaybackServiceServicer, PlaybackServiceStub
from lectern.credentials.v1.credentials_pb2 import IssueTtsCredentialsRequest, IssueTtsCredentialsResponse
from lectern.credentials.v1.credentials_pb2_grpc import (
    CredentialBrokerServiceServicer,
    CredentialBrokerServiceStub,
)
from shared.errors import Code, LecternError
from shared.rpc.channel import open_channel
from shared.rpc.gateway import GatewayLimits, add_gateway
from shared.rpc.server import serve_grpc
from shared.rpc.tokens import bearer_check

TOKEN = "geheim"
BROKER_PATH = "/api/internal/compute/tts-credentials"


class Playback(PlaybackServiceServicer):
    """Answers with the request id that it is called under; leaves WatchSession out."""

    async def GetPlan(self, request: GetPlanRequest, context: Any) -> GetPlanResponse:
        del request, context
        return GetPlanResponse(plan_id=get_contextvars()["request_id"])


class Broker(CredentialBrokerServiceServicer):
    async def IssueTtsCredentials(
        self, request: IssueTtsCredentialsRequest, context: Any
    ) -> IssueTtsCredentialsResponse:
        assert ("x-extra", "yes") in tuple(context.invocation_metadata())
        assert context.peer()
        return IssueTtsCredentialsResponse(provider_ref=request.provider_ref)


@asynccontextmanager
async def http_server(app: web.Application) -> AsyncIterator[str]:
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def serving(transport: str, limits: GatewayLimits | None = None) -> AsyncIterator[str]:
    servicers, check = [Playback(), Broker()], bearer_check(TOKEN)
    if transport == "grpc":
        async with serve_grpc(servicers, token_check=check, host="127.0.0.1", port=0) as server:
            yield f"grpc://127.0.0.1:{server.port}"
    else:
        app = web.Application()
        add_gateway(app, servicers, token_check=check, limits=limits)
        async with http_server(app) as address:
            yield address


both = pytest.mark.parametrize("transport", ["grpc", "http"])


async def failed_plan(address: str, request: GetPlanRequest | None = None) -> LecternError:
    async with open_channel(address, TOKEN) as channel:
        with pytest.raises(LecternError) as caught:
            await PlaybackServiceStub(channel).GetPlan(request or GetPlanRequest(session_id="s"))
    return caught.value


@both
async def test_the_present_request_id_goes_along(transport: str) -> None:
    async with serving(transport) as address, open_channel(address, TOKEN) as channel:
        with bound_contextvars(request_id="edge-7"):
            answer = await PlaybackServiceStub(channel).GetPlan(GetPlanRequest(session_id="s"))
    assert answer.plan_id == "edge-7"


@both
async def test_a_servicers_context_shows_metadata_and_peer(transport: str) -> None:
    async with serving(transport) as address, open_channel(address, TOKEN) as channel:
        stub = CredentialBrokerServiceStub(channel)
        request = IssueTtsCredentialsRequest(provider_ref="builtin")
        answer = await stub.IssueTtsCredentials(request, metadata=(("x-extra", "yes"),))
    assert answer.provider_ref == "builtin"


@both
async def test_a_method_that_a_servicer_leaves_out_is_unimplemented(transport: str) -> None:
    async with serving(transport) as address, open_channel(address, TOKEN) as channel:
        with pytest.raises(LecternError) as caught:
            await anext(aiter(PlaybackServiceStub(channel).WatchSession(WatchSessionRequest(session_id="s"))))
    assert caught.value.code is Code.UNIMPLEMENTED


@both
async def test_a_server_that_is_down_is_unavailable(transport: str) -> None:
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        error = await failed_plan(f"{transport}://127.0.0.1:{taken.getsockname()[1]}")
    assert (error.code, error.reason, error.retryable) == (Code.UNAVAILABLE, "SERVICE_UNREACHABLE", True)
    assert "can't be reached" in error.message
    assert TOKEN not in error.message


@pytest.mark.parametrize("prefix", ["", "/", "/behind/a/proxy", "/behind/a/proxy/"])
async def test_an_address_may_have_a_prefix(prefix: str) -> None:
    inner = web.Application()
    add_gateway(inner, [Playback()], token_check=bearer_check(TOKEN))
    served = inner
    if prefix.strip("/"):
        served = web.Application()
        served.add_subapp("/behind/a/proxy", inner)
    async with (
        http_server(served) as address,
        open_channel(address + prefix, TOKEN) as channel,
    ):
        assert await PlaybackServiceStub(channel).GetPlan(GetPlanRequest(session_id="s"))


async def test_the_full_address_of_the_credential_method_works_too() -> None:
    async with serving("http") as address, open_channel(address + BROKER_PATH, TOKEN) as channel:
        stub = CredentialBrokerServiceStub(channel)
        request = IssueTtsCredentialsRequest(provider_ref="builtin")
        assert await stub.IssueTtsCredentials(request, metadata=(("x-extra", "yes"),))


@pytest.mark.parametrize(
    ("status", "code"),
    [(502, Code.UNAVAILABLE), (503, Code.UNAVAILABLE), (404, Code.UNIMPLEMENTED), (302, Code.UNKNOWN)],
)
async def test_a_stranger_in_between_becomes_an_error_by_its_status(status: int, code: Code) -> None:
    async def stranger(_request: web.Request) -> web.Response:
        return web.Response(status=status, text="<html>", headers={"Location": "/elsewhere"})

    app = web.Application()
    app.router.add_route("*", "/{anything:.*}", stranger)
    async with http_server(app) as address:
        assert (await failed_plan(address)).code is code


async def test_an_answer_that_is_no_message_is_an_error() -> None:
    async def stranger(_request: web.Request) -> web.Response:
        return web.Response(text="<html>")

    app = web.Application()
    app.router.add_route("*", "/{anything:.*}", stranger)
    async with http_server(app) as address:
        assert (await failed_plan(address)).code is Code.INTERNAL


@both
async def test_a_request_beyond_the_limit_is_refused(transport: str) -> None:
    async with serving(transport) as address, open_channel(address, TOKEN) as channel:
        with pytest.raises(LecternError) as caught:
            await CredentialBrokerServiceStub(channel).IssueTtsCredentials(
                IssueTtsCredentialsRequest(provider_ref="x" * 5_000_000)
            )
    assert caught.value.code is Code.RESOURCE_EXHAUSTED


@pytest.mark.parametrize(
    "address",
    ["", "localhost:8082", "ftp://host", "grpc://host", "grpc://host:1/path", "http://", "grpc://:5"],
)
async def test_an_address_of_another_form_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"address|port"):
        async with open_channel(address, TOKEN):
            pass


async def test_a_taken_grpc_port_is_reported() -> None:
    check = bearer_check(TOKEN)
    async with serve_grpc([Playback()], token_check=check, host="127.0.0.1", port=0) as server:
        with pytest.raises(OSError, match=str(server.port)):
            async with serve_grpc([], token_check=check, host="127.0.0.1", port=server.port):
                pass


async def test_a_restarted_server_is_found_again() -> None:
    check = bearer_check(TOKEN)
    async with serve_grpc([Playback()], token_check=check, host="127.0.0.1", port=0) as server:
        port = server.port
    async with open_channel(f"grpc://127.0.0.1:{port}", TOKEN) as channel:
        stub = PlaybackServiceStub(channel)
        with pytest.raises(LecternError):
            await stub.GetPlan(GetPlanRequest())
        async with serve_grpc([Playback()], token_check=check, host="127.0.0.1", port=port):
            assert await stub.GetPlan(GetPlanRequest(), wait_for_ready=True)
