"""A server with recording servicers on both transports, and channels to it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from contract.recording import Recorder
from contract.services import all_services, stub_type
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from shared.rpc.channel import open_channel
from shared.rpc.gateway import GatewayLimits, add_gateway
from shared.rpc.server import serve_grpc
from shared.rpc.tokens import bearer_check

TOKEN = "contract-token"
TRANSPORTS = ("grpc", "http")


@dataclass(frozen=True)
class Mesh:
    recorder: Recorder
    addresses: dict[str, str]
    token: str = TOKEN

    def address(self, transport: str) -> str:
        return self.addresses[transport]

    @asynccontextmanager
    async def calling(
        self, transport: str, method: MethodDescriptor, token: str = TOKEN
    ) -> AsyncIterator[Any]:
        """The stub's method over the transport."""
        async with open_channel(self.address(transport), token) as channel:
            yield stub_method(channel, method)


def stub_method(channel: Any, method: MethodDescriptor) -> Any:
    servicer = next(each for service, each in all_services() if service is method.containing_service)
    return getattr(stub_type(method.containing_service, servicer)(channel), method.name)


async def answers_of(call: Callable[..., Any], method: MethodDescriptor, request: Message) -> list[Message]:
    if method.server_streaming:
        return [answer async for answer in call(request)]
    answer: Awaitable[Message] = call(request)
    return [await answer]


@asynccontextmanager
async def running_mesh(limits: GatewayLimits | None = None) -> AsyncIterator[Mesh]:
    recorder = Recorder()
    check = bearer_check(TOKEN)
    servicers = recorder.servicers()
    app = web.Application()
    add_gateway(app, servicers, token_check=check, limits=limits)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        http_port = runner.addresses[0][1]
        async with serve_grpc(
            servicers, token_check=check, host="127.0.0.1", port=0, grace_seconds=0
        ) as server:
            yield Mesh(
                recorder=recorder,
                addresses={
                    "grpc": f"grpc://127.0.0.1:{server.port}",
                    "http": f"http://127.0.0.1:{http_port}",
                },
            )
    finally:
        await runner.cleanup()
