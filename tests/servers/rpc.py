"""Services of ours behind one of the two transports, as the programs serve them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from aiohttp import web

from shared.rpc.gateway import add_gateway
from shared.rpc.server import serve_grpc
from shared.rpc.tokens import bearer_check


@asynccontextmanager
async def serving_rpc(
    transport: str, servicers: Sequence[object], *, token: str, port: int = 0
) -> AsyncIterator[str]:
    """transport: "grpc" or "http". Yields the address, whose port is a free one unless given."""
    check = bearer_check(token)
    if transport == "grpc":
        async with serve_grpc(
            servicers, token_check=check, host="127.0.0.1", port=port, grace_seconds=0
        ) as server:
            yield f"grpc://127.0.0.1:{server.port}"
        return
    app = web.Application()
    add_gateway(app, servicers, token_check=check)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
