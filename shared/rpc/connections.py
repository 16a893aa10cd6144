"""Work on behalf of an HTTP client that ends when the client goes away."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeVar

from aiohttp import web

_ResultT = TypeVar("_ResultT")

# aiohttp tells handlers of a lost connection only when its runner is set to; looking works with both.
LOOK_INTERVAL_SECONDS: Final = 0.2


async def while_connected(request: web.Request, work: Callable[[], Awaitable[_ResultT]]) -> _ResultT:
    """The work's result. ConnectionResetError, and the work cancelled, once the client is gone."""
    task = asyncio.ensure_future(work())
    try:
        while not task.done():
            await asyncio.wait([task], timeout=LOOK_INTERVAL_SECONDS)
            if request.transport is None and not task.done():
                raise ConnectionResetError("The client has gone away.")
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
