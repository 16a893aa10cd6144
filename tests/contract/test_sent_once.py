"""No call is sent twice behind its caller's back, but a read whose connection was just closed.

Who calls again does so knowingly: because the call is a read, or has a key by which it is done once.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from contract.mesh import TOKEN, Mesh, answers_of, running_mesh, stub_method
from contract.services import all_methods, method_named
from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from shared.errors import Code, LecternError
from shared.rpc.bindings import bindings_of
from shared.rpc.channel import open_channel

every_method = pytest.mark.parametrize("method", all_methods(), ids=lambda method: method.full_name)
UNARY = [method for method in all_methods() if not method.server_streaming]
CREATE_SESSION = method_named("lectern.compute.v1.PlaybackService.CreateSession")
# What HTTP itself lets a client send again (RFC 9110, 9.2.2), as aiohttp does when a kept connection is dead.
READS = {"GET"}


def a_request(method: MethodDescriptor) -> Message:
    request = message_factory.GetMessageClass(method.input_type)()
    for binding in bindings_of(method)[:1]:
        for name in binding.path_fields:
            if "." not in name:
                setattr(request, name, "x")
    return request


@every_method
async def test_a_server_that_says_to_try_again_is_not_asked_again(
    mesh: Mesh, transport: str, method: MethodDescriptor
) -> None:
    mesh.recorder.failure = LecternError(Code.UNAVAILABLE, "Not now.")
    async with mesh.calling(transport, method) as call:
        with pytest.raises(LecternError) as caught:
            await answers_of(call, method, a_request(method))
    assert caught.value.retryable
    assert len(mesh.recorder.requests) == 1


async def test_a_call_whose_server_went_down_is_not_sent_again(transport: str) -> None:
    async with running_mesh() as mesh:
        mesh.recorder.hangs = True
        calling = mesh.calling(transport, CREATE_SESSION)
        call = await calling.__aenter__()
        asked = asyncio.create_task(call(a_request(CREATE_SESSION)))
        async with asyncio.timeout(5):
            while not mesh.recorder.requests:
                await asyncio.sleep(0)
    with pytest.raises(LecternError) as caught:
        await asked
    assert caught.value.code in (Code.UNAVAILABLE, Code.CANCELLED)
    assert len(mesh.recorder.requests) == 1
    await calling.__aexit__(None, None, None)


class Dropping:
    """Answers the first request, keeps its connection, and drops it with the next ones unanswered."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = [line for line in head.lower().splitlines() if line.startswith(b"content-length:")]
                if length:
                    await reader.readexactly(int(length[0].partition(b":")[2]))
                self.taken.append(head.split(b" ", 1)[0])
                if len(self.taken) > 1:
                    break
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def dropping() -> AsyncIterator[tuple[Dropping, str]]:
    server = Dropping()
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    try:
        yield server, f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    finally:
        listening.close()


@pytest.mark.parametrize("method", UNARY, ids=lambda method: method.full_name)
async def test_over_a_kept_connection_that_is_dead_only_a_read_is_sent_again(
    method: MethodDescriptor,
) -> None:
    verb = bindings_of(method)[0].verb
    async with dropping() as (server, address), open_channel(address, TOKEN) as channel:
        call = stub_method(channel, method)
        await answers_of(call, method, a_request(method))
        with pytest.raises(LecternError) as caught:
            await answers_of(call, method, a_request(method))
    assert (caught.value.code, caught.value.reason) == (Code.UNAVAILABLE, "SERVICE_UNREACHABLE")
    assert len(server.taken) == (3 if verb in READS else 2)
