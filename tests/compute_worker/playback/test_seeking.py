"""A listener who goes elsewhere is served there at once, whatever is under way for the place they left."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from faults.provider import sound_of
from servers.ports import free_port

TEXT = "\n\n".join(f"Paragraph {n} of a text that takes its time." for n in range(30))


class HeldProvider:
    """Answers nothing until it is let go."""

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


async def test_speech_for_the_new_place_is_asked_for_while_that_for_the_old_one_is_still_made(worker):
    provider = HeldProvider()
    async with provider.serving() as address:
        worker.credentials.add_custom("held", address)
        listener = await worker.listen(await worker.read(TEXT), provider_ref="held", voice="any")
        await provider.until_asked_for("Paragraph 0 ")
        await listener.cursor(20)
        await provider.until_asked_for("Paragraph 20 ")
        assert len(provider.asked) == 2  # nothing competes with what the listener is waiting for
        provider.released.set()
        await listener.until(lambda it: {0, 20} <= it.segments.keys())
