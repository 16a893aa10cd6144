"""A speech provider that keeps a record of every request: what was asked for, when, and by whom."""

import asyncio
import hashlib
import io
import time
import wave
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import numpy as np
from aiohttp import web

RATE = 24_000
SECONDS_PER_CHARACTER = 0.05


@dataclass(frozen=True)
class Asked:
    moment: float  # time.monotonic()
    worker: str


class CountingProvider:
    def __init__(self, *, api_key: str, delay_seconds: float, name_of_caller: Callable[[int], str]) -> None:
        """name_of_caller tells who is at a port of this machine."""
        self.asked: defaultdict[str, list[Asked]] = defaultdict(list)  # by text
        self._name_of_caller = name_of_caller
        self._api_key = api_key
        self._delay_seconds = delay_seconds

    @asynccontextmanager
    async def serving(self, port: int) -> AsyncIterator[str]:
        app = web.Application()
        app.router.add_post("/v1/audio/speech", self._speak)
        app.router.add_get("/v1/audio/voices", self._voices)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", port, backlog=512).start()
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            await runner.cleanup()

    async def _speak(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {self._api_key}":
            return web.json_response({"error": {"message": "Incorrect API key provided."}}, status=401)
        text = (await request.json())["input"]
        assert request.transport is not None
        port = request.transport.get_extra_info("peername")[1]
        self.asked[text].append(Asked(time.monotonic(), self._name_of_caller(port)))
        await asyncio.sleep(self._delay_seconds)
        return web.Response(body=await asyncio.to_thread(sound_of, text), content_type="audio/wav")

    async def _voices(self, _: web.Request) -> web.Response:
        return web.json_response({"voices": ["test"]})


def sound_of(text: str) -> bytes:
    """A tone of the text's own, as long as the text would take to be said: the same every time."""
    pitch = 120 + int.from_bytes(hashlib.sha256(text.encode()).digest()[:2]) % 400
    count = int(len(text) * SECONDS_PER_CHARACTER * RATE)
    times = np.arange(count) / RATE
    syllables = 0.6 + 0.4 * np.sin(2 * np.pi * 4 * times)
    samples = (8000 * syllables * np.sin(2 * np.pi * pitch * times)).astype("<i2")
    body = io.BytesIO()
    with wave.open(body, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())
    return body.getvalue()
