"""Every unary call ends in time, and what it left behind on the server ends too."""

import asyncio

import pytest
from contract.mesh import TOKEN, Mesh, running_mesh, stub_method
from contract.services import GET_PLAN, method_named
from google.protobuf import message_factory

from shared.errors import Code, LecternError
from shared.rpc.channel import open_channel
from shared.rpc.gateway import GatewayLimits

METHOD = method_named(GET_PLAN)
REQUEST = message_factory.GetMessageClass(METHOD.input_type)(session_id="s")


async def test_a_call_has_its_own_deadline(mesh: Mesh, transport: str) -> None:
    mesh.recorder.hangs = True
    async with mesh.calling(transport, METHOD) as call:
        with pytest.raises(LecternError) as caught:
            await call(REQUEST, timeout=0.1)
    assert caught.value.code is Code.DEADLINE_EXCEEDED
    assert caught.value.retryable
    async with asyncio.timeout(5):
        await mesh.recorder.ended.wait()


async def test_a_call_without_a_deadline_has_the_channels(mesh: Mesh, transport: str) -> None:
    mesh.recorder.hangs = True
    async with open_channel(mesh.address(transport), TOKEN, unary_deadline_seconds=0.1) as channel:
        with pytest.raises(LecternError) as caught:
            await stub_method(channel, METHOD)(REQUEST)
    assert caught.value.code is Code.DEADLINE_EXCEEDED


async def test_the_gateway_ends_calls_whose_caller_waits_forever() -> None:
    async with running_mesh(GatewayLimits(unary_seconds=0.1)) as mesh:
        mesh.recorder.hangs = True
        async with mesh.calling("http", METHOD) as call:
            with pytest.raises(LecternError) as caught:
                await call(REQUEST)
        assert caught.value.code is Code.DEADLINE_EXCEEDED
        assert mesh.recorder.ended.is_set()


async def test_a_cancelled_call_is_cancelled_on_the_server(mesh: Mesh, transport: str) -> None:
    mesh.recorder.hangs = True
    async with mesh.calling(transport, METHOD) as call:
        task = asyncio.create_task(call(REQUEST))
        async with asyncio.timeout(5):
            while not mesh.recorder.requests:
                await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(5):
            await mesh.recorder.ended.wait()
