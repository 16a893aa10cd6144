"""Server-sent events: writing them so that proxies don't hold them back and silence is noticed."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web

_KEEP_ALIVE_SECONDS = 15
_FIRST_EVENT_SECONDS = 1
_RETRY_MS = 1000
_OPEN_STREAMS: "web.AppKey[set[asyncio.Task[Any]]]" = web.AppKey("open_event_streams")


@dataclass(frozen=True)
class ServerEvent:
    name: str
    data: Any
    id: str = ""

    def encode(self) -> bytes:
        data = json.dumps(self.data, ensure_ascii=False, separators=(",", ":"))
        identifier = f"id: {self.id}\n" if self.id else ""
        return f"{identifier}event: {self.name}\ndata: {data}\n\n".encode()


def setup_event_streams(app: web.Application) -> None:
    """Open streams end when the server shuts down; browsers then ask the next one."""
    app[_OPEN_STREAMS] = set()

    async def end_all(app: web.Application) -> None:
        for task in app[_OPEN_STREAMS]:
            task.cancel()

    app.on_shutdown.append(end_all)


async def send_events(request: web.Request, events: AsyncGenerator[ServerEvent, None]) -> web.StreamResponse:
    """Sends until the iterator ends or the browser is gone. An early error is raised before anything is
    sent; a later one cuts the connection, and the browser asks again."""
    with _open(request.app):
        async with aclosing(events):
            return await _send_all(request, events)


async def _send_all(request: web.Request, events: AsyncIterator[ServerEvent]) -> web.StreamResponse:
    pending = _next_of(events)
    try:
        done, _ = await asyncio.wait({pending}, timeout=_FIRST_EVENT_SECONDS)
        if done:
            pending.result()
        response = await _start(request)
        while (event := await _awaited(pending, response)) is not None:
            await response.write(event.encode())
            pending = _next_of(events)
        await response.write_eof()
        return response
    finally:
        pending.cancel()
        await asyncio.gather(pending, return_exceptions=True)


@contextmanager
def _open(app: web.Application) -> Iterator[None]:
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("a handler runs in a task")
    app[_OPEN_STREAMS].add(task)
    try:
        yield
    finally:
        app[_OPEN_STREAMS].discard(task)


def _next_of(events: AsyncIterator[ServerEvent]) -> "asyncio.Task[ServerEvent | None]":
    async def following() -> ServerEvent | None:
        return await anext(events, None)

    return asyncio.create_task(following())


async def _start(request: web.Request) -> web.StreamResponse:
    headers = {
        "Content-Type": "text/event-stream",
        "Cache-Control": "private, no-store",
        "X-Accel-Buffering": "no",
    }
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    await response.write(f"retry: {_RETRY_MS}\n\n".encode())
    return response


async def _awaited(
    pending: "asyncio.Task[ServerEvent | None]", response: web.StreamResponse
) -> ServerEvent | None:
    while True:
        done, _ = await asyncio.wait({pending}, timeout=_KEEP_ALIVE_SECONDS)
        if done:
            return pending.result()
        await response.write(b": still here\n\n")
