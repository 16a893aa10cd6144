"""Sound first, measured word times after it: for providers that tell nothing about their words."""

import asyncio
import json
import time
from collections.abc import Callable

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from voices.flite import say_with_flite

from compute_worker.alignment.process import AlignmentProcess
from compute_worker.audio.wav import write_wav
from compute_worker.speech.model import FRAME_BYTES
from compute_worker.speech.words import spoken_words
from lectern.compute.v1 import playback_pb2

TEXT = "The harbour was quiet when the ferry came in, and only two gulls noticed."
OTHER = "Seven sailors slept beneath the stairs, sharing a single striped blanket."


@pytest.fixture
async def provider_saying():
    """Starts a speech server that says what the given function makes of a text; counts in `asked`."""
    servers = []

    async def start(said: Callable[[str], str], asked: list[str]) -> str:
        async def speak(request: web.Request) -> web.Response:
            text = (await request.json())["input"]
            asked.append(text)
            speech = say_with_flite("rms", [said(text)])[0]
            pcm = (speech.samples * 32767).astype("<i2").tobytes()
            return web.Response(body=write_wav(pcm, speech.sample_rate), content_type="audio/wav")

        app = web.Application()
        app.router.add_post("/v1/audio/speech", speak)
        servers.append(server := TestServer(app))
        await server.start_server()
        return str(server.make_url("/v1"))

    yield start
    for server in servers:
        await server.close()


EXACT_SECONDS = 4.0  # one, on a machine that does nothing else


async def announced(worker, listener, count: int) -> list[playback_pb2.SegmentEvent]:
    """The first announcements of segments, from the session's beginning."""
    found = []
    request = playback_pb2.WatchSessionRequest(session_id=listener.session_id)
    call = worker.playback.WatchSession(request, timeout=60)
    async for event in call:
        if event.WhichOneof("event") == "segment":
            found.append(event.segment)
            if len(found) == count:
                call.cancel()
                return found
    raise AssertionError("the session ended before")


async def sidecars(worker) -> list[dict]:
    keys = [info.key async for info in worker.store.list("speech/")]
    return [json.loads(await worker.store.get(key)) for key in keys if key.endswith(".json")]


async def test_a_segment_is_announced_with_estimates_and_again_with_measured_times(worker, provider_saying):
    asked: list[str] = []
    worker.credentials.add_custom("flite", await provider_saying(str, asked))
    listener = await worker.listen(await worker.read(TEXT), provider_ref="flite", voice="rms")
    [first] = await announced(worker, listener, 1)
    began = time.monotonic()
    first, second = await announced(worker, listener, 2)
    seconds = time.monotonic() - began
    assert seconds <= EXACT_SECONDS
    assert (first.ordinal, second.ordinal) == (0, 0)
    assert (first.exact, second.exact) == (False, True)
    assert first.frames == second.frames
    assert [(word.char_start, word.char_end) for word in second.words] == list(spoken_words(TEXT))
    assert [word.start_ms for word in first.words] != [word.start_ms for word in second.words]
    [sidecar] = await sidecars(worker)
    assert sidecar["exact"] is True
    assert sidecar["aligner"].startswith("acoustic")
    assert len(asked) == 1


async def test_no_sound_waits_for_words_to_be_measured(worker, provider_saying, monkeypatch):
    """However long that takes: here it does not end before everything has been heard."""
    may_measure, measuring = asyncio.Event(), asyncio.Event()
    exchange = AlignmentProcess.exchange

    async def held(process: AlignmentProcess, task: bytes) -> dict:
        measuring.set()
        await may_measure.wait()
        return await exchange(process, task)

    monkeypatch.setattr(AlignmentProcess, "exchange", held)
    worker.credentials.add_custom("flite", await provider_saying(str, []))
    reading = await worker.read(f"{TEXT}\n\n{OTHER}")
    listener = await worker.listen(reading, provider_ref="flite", voice="rms")
    async with asyncio.timeout(20), worker.http.get(listener.url()) as answer:
        sound = await answer.read()
    await asyncio.wait_for(measuring.wait(), 20)
    await listener.until(lambda it: len(it.segments) == 2)
    told = listener.segments.values()
    assert len(sound) >= sum(one.frames + one.pause_frames for one in told) * FRAME_BYTES
    assert [one.exact for one in told] == [False, False]
    may_measure.set()
    await listener.until(lambda it: all(one.exact for one in it.segments.values()))


async def test_measured_times_are_kept_with_the_sound(open_worker, credential_book, provider_saying):
    asked: list[str] = []
    credential_book.add_custom("flite", await provider_saying(str, asked))
    worker = await open_worker()
    reading = await worker.read(TEXT)
    await announced(worker, await worker.listen(reading, provider_ref="flite", voice="rms"), 2)
    again = await worker.listen(reading, owner_id="somebody else", provider_ref="flite", voice="rms")
    [known] = await announced(worker, again, 1)
    assert known.exact
    assert known.cached
    assert len(asked) == 1


async def test_sound_that_is_not_the_text_keeps_its_estimates(worker, provider_saying):
    worker.credentials.add_custom("flite", await provider_saying(lambda _text: OTHER, []))
    listener = await worker.listen(await worker.read(TEXT), provider_ref="flite", voice="rms")
    await listener.until(lambda it: "complete" in it.states)  # by then it has been tried
    assert not listener.segments[0].exact
    [sidecar] = await sidecars(worker)
    assert sidecar["exact"] is False
    assert sidecar["aligner"].startswith("acoustic")  # not tried again
