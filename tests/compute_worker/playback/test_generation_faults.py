"""What a run does when our own parts fail under it: nothing is made twice, and nobody is left waiting."""

import asyncio

from compute_worker.operations.events import Events
from compute_worker.playback import generation
from compute_worker.playback.endings import IDLE
from compute_worker.playback.generation import GenerationRun
from compute_worker.playback.speech_cache import SpeechCache
from shared.errors import Code, LecternError
from shared.objects.s3_store import S3Store

TEXT = "\n\n".join(f"This is paragraph number {n} of the story." for n in range(6))


def failing(times: int, original, *, when, reason: str):
    """The method, failing the first `times` calls for which `when` holds."""
    left = times

    async def method(self, *arguments, **options):
        nonlocal left
        if left and when(*arguments):
            left -= 1
            raise LecternError(Code.UNAVAILABLE, "Away.", reason=reason)
        return await original(self, *arguments, **options)

    return method


async def test_speech_that_could_not_be_stored_at_once_is_announced_later_and_made_once(
    worker, monkeypatch, open_worker
):
    reading_ref = await worker.read(TEXT)
    made = []
    hold = SpeechCache.hold

    def counting_hold(self, key, segment, *, is_stored=True):
        if not is_stored:
            made.append(key)
        hold(self, key, segment, is_stored=is_stored)

    monkeypatch.setattr(SpeechCache, "hold", counting_hold)
    away = failing(
        3, S3Store.put, when=lambda key, *_: key.startswith("speech/"), reason="OBJECT_STORE_UNAVAILABLE"
    )
    monkeypatch.setattr(S3Store, "put", away)
    listener = await worker.listen(reading_ref)
    await listener.until(lambda it: "complete" in it.states and len(it.segments) == it.segment_count)
    assert len(made) == len(set(made)) == listener.segment_count
    other = await open_worker()  # everything is there for who has nothing in memory
    elsewhere = await other.listen(reading_ref, owner_id="somebody else")
    await elsewhere.until(lambda it: len(it.segments) == it.segment_count)
    assert all(segment.cached for segment in elsewhere.segments.values())


async def test_an_announcement_that_the_broker_does_not_take_is_made_again(worker, monkeypatch):
    reading_ref = await worker.read(TEXT)
    away = failing(
        4, Events.publish, when=lambda topic, *_: topic.startswith("session."), reason="BROKER_UNAVAILABLE"
    )
    monkeypatch.setattr(Events, "publish", away)
    listener = await worker.listen(reading_ref)
    await listener.until(lambda it: "complete" in it.states and len(it.segments) == it.segment_count)
    assert listener.problems == []


async def test_what_a_run_could_not_announce_is_announced_by_the_next(worker, monkeypatch):
    """Somebody hears the session, so that this worker knows more of it than the others."""
    monkeypatch.setattr(generation, "OWN_TROUBLE_SECONDS", 0.1)
    away = failing(
        4,
        Events.publish,
        when=lambda topic, payload: topic.startswith("session.") and payload["type"] == "segment",
        reason="BROKER_UNAVAILABLE",
    )
    monkeypatch.setattr(Events, "publish", away)
    listener = await worker.listen(await worker.read(TEXT))
    async with worker.http.get(listener.url()) as audio:
        await listener.until(lambda it: len(it.segments) == it.segment_count)
        assert audio.status == 200


async def test_a_move_that_comes_while_a_run_is_ending_starts_the_next(worker, monkeypatch):
    """The run has decided to end, but its record still says that it runs."""
    deciding, go_on = asyncio.Event(), asyncio.Event()
    rest = GenerationRun._rest_if_full

    async def ending_early(self):
        if deciding.is_set() or self._orders or len(self._feed.segments) < 3:
            return await rest(self)
        deciding.set()
        await go_on.wait()
        return IDLE

    monkeypatch.setattr(GenerationRun, "_rest_if_full", ending_early)
    listener = await worker.listen(await worker.read(TEXT * 5))
    await asyncio.wait_for(deciding.wait(), 20)
    await listener.cursor(20)
    go_on.set()
    await listener.until(lambda it: 20 in it.segments)


async def test_audio_that_cannot_be_looked_for_just_now_is_a_problem_and_no_accident(worker, monkeypatch):
    listener = await worker.listen(await worker.read(TEXT))
    await listener.until(lambda it: it.segments)

    async def away(*_: object, **_options: object) -> None:
        raise LecternError(Code.UNAVAILABLE, "Away.", reason="OBJECT_STORE_UNAVAILABLE")

    monkeypatch.setattr(SpeechCache, "find", away)
    async with worker.http.get(listener.url(), headers={"Range": f"bytes={10**6}-"}) as answer:
        assert answer.status == 503
        assert (await answer.json())["code"] == "OBJECT_STORE_UNAVAILABLE"
