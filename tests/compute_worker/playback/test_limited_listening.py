"""The compute limits' part for workers, through a whole worker: listeners wait for turns, not for ends."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from compute_worker.playback import model, plans
from lectern.compute.v1.playback_pb2 import EXTENT_DOCUMENT, PlanOptions
from servers.held_provider import HeldProvider
from shared.errors import LecternError

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


async def test_a_plan_that_has_to_wait_too_long_is_refused_with_a_reason(
    policy_book, open_worker, monkeypatch
):
    policy_book.limit("tts_playback_plan", at_once=1, seconds=1)
    worker = await open_worker()
    reading_ref = await worker.read(TEXT)
    await policy_book.is_known()
    begun, may_end = asyncio.Event(), asyncio.Event()
    load_document = plans.load_document

    async def slow(store, ref):
        begun.set()
        await may_end.wait()
        return await load_document(store, ref)

    monkeypatch.setattr(plans, "load_document", slow)
    long_blocks, short_blocks = (PlanOptions(max_segment_characters=most) for most in (900, 200))
    first = asyncio.create_task(worker.listen(reading_ref, owner_id="first", options=long_blocks))
    await begun.wait()
    with pytest.raises(LecternError) as refused:
        await worker.listen(reading_ref, owner_id="second", options=short_blocks)
    assert refused.value.reason == "WAITED_TOO_LONG"
    # A plan that is there is no work: it waits for nobody.
    await worker.listen(reading_ref, owner_id="third")
    may_end.set()
    await first
    await worker.listen(reading_ref, owner_id="second", options=short_blocks)


async def test_who_is_gone_waits_as_speaking_ahead_and_keeps_nobody_from_listening(
    policy_book, open_worker, credential_book, monkeypatch
):
    policy_book.limit("tts_playback_document", at_once=1, seconds=1)
    provider = HeldProvider()
    async with provider.serving() as address:
        credential_book.add_custom("held", address)
        worker = await open_worker()
        reading_ref = await worker.read(TEXT)
        await policy_book.is_known()
        provider.released.set()
        first = await worker.listen(
            reading_ref, owner_id="first", provider_ref="held", voice="alloy", extent=EXTENT_DOCUMENT
        )
        await first.until(lambda it: "waiting" in it.states)  # listening is not limited
        provider.released.clear()
        monkeypatch.setattr(model, "LISTENER_GONE_SECONDS", 0.0)
        await provider.until_asked_for(f"number {max(first.segments) + 1},")
        second = await worker.listen(reading_ref, owner_id="second", extent=EXTENT_DOCUMENT)
        await second.until(lambda it: "stopped" in it.states)
        assert [problem.code for problem in second.problems] == ["WAITED_TOO_LONG"]
        assert second.segments == {}
        third = await worker.listen(reading_ref, owner_id="third")
        await third.until(lambda it: len(it.segments) > 1)
        assert third.problems == []
