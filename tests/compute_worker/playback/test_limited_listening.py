"""The compute limits' part for workers, through a whole worker: listeners wait for turns, not for ends."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

TEXT = "\n\n".join(f"This is paragraph number {n}, and somebody listens to it with care." for n in range(30))


@pytest.fixture
async def silent_provider(free_port) -> AsyncIterator[str]:
    """Takes requests and never answers."""
    app = web.Application()

    async def speech(_request: web.Request) -> web.Response:
        await asyncio.Event().wait()
        return web.Response()

    app.router.add_post("/v1/audio/speech", speech)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    yield f"http://127.0.0.1:{port}/v1"
    await runner.cleanup()


@pytest.mark.parametrize("app_transport", ["grpc", "http"])
async def test_whose_window_is_full_lets_others_go_on(policy_book, open_worker):
    policy_book.limit("tts_playback", at_once=1)
    worker = await open_worker()
    reading_ref = await worker.read(TEXT)
    await policy_book.is_known()
    first = await worker.listen(reading_ref, owner_id="first")
    await first.until(lambda it: "waiting" in it.states)
    # Its run is not over: it looks after the listener, and makes nothing.
    second = await worker.listen(reading_ref, owner_id="second", voice="en-us+f3")
    await second.until(lambda it: "waiting" in it.states)
    here = max(first.segments)
    await first.cursor(here)
    await first.until(lambda it: max(it.segments) > here)
    assert (first.problems, second.problems) == ([], [])


async def test_who_waited_too_long_for_a_turn_is_told_why(
    policy_book, open_worker, credential_book, silent_provider
):
    policy_book.limit("tts_playback", at_once=1, seconds=1)
    credential_book.add_custom("silent", silent_provider)
    worker = await open_worker()
    reading_ref = await worker.read(TEXT)
    await policy_book.is_known()
    first = await worker.listen(reading_ref, owner_id="first", provider_ref="silent", voice="alloy")
    await first.until(lambda it: "generating" in it.states)
    second = await worker.listen(reading_ref, owner_id="second")
    await second.until(lambda it: "stopped" in it.states, seconds=40)
    assert [problem.code for problem in second.problems] == ["WAITED_TOO_LONG"]
    assert second.segments == {}
