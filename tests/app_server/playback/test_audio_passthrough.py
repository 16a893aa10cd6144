"""The worker's audio through the app's own address: at the listener's pace, and broken where it breaks."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import aiohttp
import pytest
from aiohttp import web

from app_server.playback.audio_passthrough import PATH, AudioPassthrough
from servers.ports import free_port

CHUNK = bytes(64 * 1024)
CHUNKS = 1600  # 100 MB: more than the sockets between three processes hold
STANDSTILL_SECONDS = 0.5
AUDIO = "/v1/tts-playback/sessions/abc/audio?token=t&from=3&at=0"


@dataclass
class SendingWorker:
    """Sends as fast as it is let; sent counts what it got rid of."""

    sent: int = 0
    breaks_off: bool = False
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append((str(request.rel_url), dict(request.headers)))
        response = web.StreamResponse(headers={"Content-Type": "audio/mpeg"})
        await response.prepare(request)
        try:
            for _ in range(CHUNKS):
                await response.write(CHUNK)
                self.sent += 1
                if self.breaks_off and request.transport is not None:
                    request.transport.abort()
                    break
        finally:
            self.left.set()
        return response

    async def until_it_stands_still(self) -> None:
        async with asyncio.timeout(60):
            before = -1
            while self.sent != before:
                before = self.sent
                await asyncio.sleep(STANDSTILL_SECONDS)


async def serving(route: web.RouteDef, *, cancels: bool) -> tuple[web.AppRunner, str]:
    app, port = web.Application(), free_port()
    app.add_routes([route])
    runner = web.AppRunner(app, access_log=None, handler_cancellation=cancels, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    return runner, f"http://127.0.0.1:{port}"


@pytest.fixture
def worker() -> SendingWorker:
    return SendingWorker()


@pytest.fixture
async def app_url(worker: SendingWorker) -> AsyncIterator[str]:
    worker_runner, worker_url = await serving(web.get(PATH, worker.handle), cancels=True)
    async with aiohttp.ClientSession() as http:
        passthrough = AudioPassthrough(http=http, worker_url=worker_url)
        app_runner, url = await serving(web.get(PATH, passthrough.handle), cancels=False)
        try:
            yield url
        finally:
            await app_runner.cleanup()
            await worker_runner.cleanup()


async def test_a_listener_who_takes_nothing_holds_the_worker_back(
    app_url: str, worker: SendingWorker
) -> None:
    async with aiohttp.ClientSession() as http, http.get(app_url + AUDIO) as answer:
        received = len(await answer.content.readany())
        await worker.until_it_stands_still()
        assert worker.sent < CHUNKS  # the app has not taken it all into its memory
        async for chunk in answer.content.iter_any():
            received += len(chunk)
    assert received == CHUNKS * len(CHUNK)


async def test_a_listener_who_leaves_is_noticed_by_the_worker(app_url: str, worker: SendingWorker) -> None:
    async with aiohttp.ClientSession() as http, http.get(app_url + AUDIO) as answer:
        await answer.content.readany()
        answer.close()
    await asyncio.wait_for(worker.left.wait(), 20)
    assert worker.sent < CHUNKS


async def test_a_stream_that_breaks_at_the_worker_breaks_at_the_listener(
    app_url: str, worker: SendingWorker
) -> None:
    worker.breaks_off = True
    async with aiohttp.ClientSession() as http:
        with pytest.raises(aiohttp.ClientError):
            async with http.get(app_url + AUDIO) as answer:
                await answer.read()


async def test_the_worker_is_told_the_range_and_nothing_of_the_cookie(
    app_url: str, worker: SendingWorker
) -> None:
    headers = {"Range": "bytes=5-9", "Cookie": "session=secret", "Authorization": "Bearer secret"}
    async with aiohttp.ClientSession() as http, http.get(app_url + AUDIO, headers=headers):
        [(address, told)] = worker.requests
    assert address == AUDIO
    assert told["Range"] == "bytes=5-9"
    assert "secret" not in str(told)


async def test_a_worker_that_is_away_is_a_bad_gateway() -> None:
    async with aiohttp.ClientSession() as http:
        passthrough = AudioPassthrough(http=http, worker_url=f"http://127.0.0.1:{free_port()}")
        runner, url = await serving(web.get(PATH, passthrough.handle), cancels=False)
        try:
            async with http.get(url + AUDIO) as answer:
                assert answer.status == 502
        finally:
            await runner.cleanup()
