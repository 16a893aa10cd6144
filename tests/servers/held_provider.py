"""A speech provider that answers nothing until it is let go, and keeps what it was asked for."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from faults.provider import sound_of
from servers.ports import free_port


class HeldProvider:
    def __init__(self) -> None:
        self.asked: list[str] = []
        self.released = asyncio.Event()
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        app = web.Application()
        app.router.add_post("/v1/audio/speech", self._speak)
        runner, port = web.AppRunner(app, access_log=None), free_port()
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", port).start()
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            self.released.set()
            await runner.cleanup()

    async def until_asked_for(self, words: str) -> None:
        async with asyncio.timeout(20), self._changed:
            await self._changed.wait_for(lambda: any(words in text for text in self.asked))

    async def _speak(self, request: web.Request) -> web.Response:
        text = (await request.json())["input"]
        async with self._changed:
            self.asked.append(text)
            self._changed.notify_all()
        await self.released.wait()
        return web.Response(body=sound_of(text), content_type="audio/wav")
