"""A first segment is ordered before anybody has its run, and whoever gets the run makes nothing twice."""

import asyncio
import gc
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from compute_worker.playback import head_start
from compute_worker.playback.handler import PlaybackHandler
from compute_worker.playback.head_start import HeadStarts
from compute_worker.playback.model import Extent, PlanOptions, Segment, Session, VoiceSettings
from compute_worker.playback.started_speech import StartedSpeech
from servers.held_provider import HeldProvider
from shared.errors import Code, LecternError

TEXT = "\n\n".join(f"This is paragraph number {n} of the story." for n in range(3))


@pytest.fixture
async def provider(credential_book):
    held = HeldProvider()
    async with held.serving() as address:
        credential_book.add_custom("held", address)
        yield held


@pytest.fixture
def runs_may_begin(monkeypatch) -> asyncio.Event:
    """Until then they wait, as in the queue of a busy worker."""
    may_begin, run = asyncio.Event(), PlaybackHandler.run

    async def waiting(self, job, progress):
        await may_begin.wait()
        return await run(self, job, progress)

    monkeypatch.setattr(PlaybackHandler, "run", waiting)
    return may_begin


def is_made_once(listener, provider) -> bool:
    return len(provider.asked) == len(set(provider.asked)) == listener.segment_count


async def test_the_provider_is_asked_before_the_run_begins(worker, provider, runs_may_begin):
    listener = await worker.listen(await worker.read(TEXT), start=1, provider_ref="held", voice="any")
    await provider.until_asked_for("number 1")
    assert len(provider.asked) == 1
    runs_may_begin.set()
    provider.released.set()
    await listener.cursor(0)
    await listener.until(lambda it: len(it.segments) == it.segment_count)
    assert is_made_once(listener, provider)
    assert listener.problems == []


async def test_a_run_that_begins_late_tells_what_was_made_meanwhile(worker, provider, runs_may_begin):
    provider.released.set()
    listener = await worker.listen(await worker.read(TEXT), provider_ref="held", voice="any")
    await provider.until_asked_for("number 0")
    async with worker.http.get(listener.url()) as audio:
        runs_may_begin.set()
        await listener.until(lambda it: len(it.segments) == it.segment_count)
        frames = sum(one.frames + one.pause_frames for one in listener.segments.values())
        assert len(await audio.read()) == frames * 192
    assert is_made_once(listener, provider)


async def test_a_run_on_another_worker_finds_it_claimed(worker, provider, monkeypatch):
    monkeypatch.setattr(HeadStarts, "take_over", lambda *_: None)
    listener = await worker.listen(await worker.read(TEXT), provider_ref="held", voice="any")
    await provider.until_asked_for("number 0")
    await listener.until(lambda it: "generating" in it.states)
    provider.released.set()
    await listener.until(lambda it: len(it.segments) == it.segment_count)
    assert is_made_once(listener, provider)


async def test_listeners_hear_of_it_while_its_run_waits_elsewhere(
    worker, provider, runs_may_begin, monkeypatch
):
    monkeypatch.setattr(head_start, "ELSEWHERE_SECONDS", 0.0)
    provider.released.set()
    listener = await worker.listen(await worker.read(TEXT), provider_ref="held", voice="any")
    await listener.until(lambda it: set(it.segments) == {0})
    assert len(provider.asked) == 1
    runs_may_begin.set()
    await listener.until(lambda it: len(it.segments) == it.segment_count)
    assert is_made_once(listener, provider)


async def test_a_failure_is_told_by_the_run(worker, provider, runs_may_begin, monkeypatch):
    async def refuse(_self, _request):
        raise LecternError(Code.PERMISSION_DENIED, "The key is wrong.", reason="PROVIDER_REFUSED")

    monkeypatch.setattr("compute_worker.speech.openai_speech.OpenAiSpeechProvider.synthesize", refuse)
    listener = await worker.listen(await worker.read(TEXT), provider_ref="held", voice="any")
    runs_may_begin.set()
    await listener.until(lambda it: "stopped" in it.states)
    assert [problem.code for problem in listener.problems] == ["PROVIDER_REFUSED"]


async def test_nothing_is_ordered_early_where_runs_wait_for_their_turn(
    policy_book, open_worker, provider, runs_may_begin
):
    policy_book.limit("tts_playback", at_once=1)
    worker = await open_worker()
    reading_ref = await worker.read(TEXT)
    await policy_book.is_known()
    provider.released.set()
    listener = await worker.listen(reading_ref, provider_ref="held", voice="any")
    assert provider.asked == []
    runs_may_begin.set()
    await listener.until(lambda it: len(it.segments) == it.segment_count)
    assert is_made_once(listener, provider)


class _Speaker:
    """Sends an order when it may, and has it when it is answered."""

    def __init__(self) -> None:
        self.tickets = []
        self.ordered, self.may_send, self.sent = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.answered, self.obtained, self.called_off = asyncio.Event(), asyncio.Event(), asyncio.Event()

    def in_memory(self, _segment, _settings):
        return None

    async def obtain(self, _segment, _settings, _provider, ticket, _on_audio):
        self.tickets.append(ticket)
        self.ordered.set()
        try:
            await self.may_send.wait()
            ticket.sent = True
            self.sent.set()
            await self.answered.wait()
        except asyncio.CancelledError:
            self.called_off.set()
            raise
        self.obtained.set()
        return "obtained"


SESSION = Session(
    session_id="session",
    owner_id="user",
    document_id="document",
    reading_ref="reading",
    plan_id="plan",
    options=PlanOptions(),
    settings=VoiceSettings("held", "kokoro", "any", "", 1.0, "en"),
    extent=Extent.SECTION,
)
SEGMENT = Segment(0, 0, "block", 0, 4, 0, 1, 0, "Text", "en")


@pytest.fixture
async def speaker() -> _Speaker:
    return _Speaker()


@pytest.fixture
async def started() -> AsyncIterator[StartedSpeech]:
    async with StartedSpeech() as started:
        yield started


@pytest.fixture
async def head_starts(speaker, started) -> AsyncIterator[HeadStarts]:
    async with HeadStarts(
        speaker=speaker, events=None, started=started, is_free_for_all=lambda _action: True
    ) as head_starts:
        yield head_starts


async def test_an_order_is_made_and_taken_over_once(speaker, head_starts):
    head_starts.begin(SESSION, SEGMENT, None)
    head_starts.begin(SESSION, SEGMENT, None)
    order = head_starts.take_over("session", 0)
    assert head_starts.take_over("session", 0) is None
    speaker.may_send.set()
    speaker.answered.set()
    assert await order.obtain(None, None) == "obtained"
    assert len(speaker.tickets) == 1


async def test_what_is_not_sent_is_called_off_with_its_session(speaker, head_starts):
    head_starts.begin(SESSION, SEGMENT, None)
    await speaker.ordered.wait()
    head_starts.call_off("another session")
    assert not speaker.called_off.is_set()
    head_starts.call_off("session")
    await asyncio.wait_for(speaker.called_off.wait(), 10)
    assert head_starts.take_over("session", 0) is None


async def test_what_is_not_sent_is_called_off_with_the_run_that_took_it_over(speaker, head_starts):
    head_starts.begin(SESSION, SEGMENT, None)
    await speaker.ordered.wait()
    hearing = asyncio.create_task(head_starts.take_over("session", 0).obtain(None, None))
    await asyncio.sleep(0)
    hearing.cancel()
    await asyncio.wait_for(speaker.called_off.wait(), 10)


async def test_nor_is_it_made_for_a_run_that_went_before_it_asked(speaker, head_starts):
    head_starts.begin(SESSION, SEGMENT, None)
    await speaker.ordered.wait()
    order = head_starts.take_over("session", 0)
    hearing = asyncio.create_task(order.obtain(None, None))
    hearing.add_done_callback(order.let_go)
    hearing.cancel()
    await asyncio.wait_for(speaker.called_off.wait(), 10)


async def test_what_failed_and_is_wanted_by_nobody_is_no_fault_of_ours(speaker, head_starts, caplog):
    async def away(*_arguments):
        raise LecternError(Code.UNAVAILABLE, "Away.", reason="BROKER_UNAVAILABLE")

    speaker.obtain = away
    head_starts.begin(SESSION, SEGMENT, None)
    order = head_starts.take_over("session", 0)
    await asyncio.wait({order.speech})
    del order
    gc.collect()
    assert "never retrieved" not in caplog.text


async def test_what_was_sent_is_finished_though_nobody_wants_it_any_more(speaker, head_starts, started):
    speaker.may_send.set()
    head_starts.begin(SESSION, SEGMENT, None)
    await speaker.sent.wait()
    head_starts.call_off("session")
    assert not speaker.called_off.is_set()
    speaker.answered.set()
    await asyncio.wait_for(speaker.obtained.wait(), 10)


async def test_a_run_that_does_not_come_is_not_waited_for(speaker, started, monkeypatch):
    monkeypatch.setattr(head_start, "KEPT_SECONDS", 0.0)
    async with HeadStarts(
        speaker=speaker, events=None, started=started, is_free_for_all=lambda _action: True
    ) as head_starts:
        head_starts.begin(SESSION, SEGMENT, None)
        await asyncio.wait_for(speaker.called_off.wait(), 10)
        assert head_starts.take_over("session", 0) is None


async def test_a_worker_that_stops_calls_off_what_is_not_sent_and_finishes_the_rest(speaker):
    other = replace(SESSION, session_id="other")
    async with StartedSpeech() as started:
        async with HeadStarts(
            speaker=speaker, events=None, started=started, is_free_for_all=lambda _action: True
        ) as head_starts:
            speaker.may_send.set()
            head_starts.begin(SESSION, SEGMENT, None)
            await speaker.sent.wait()
            speaker.may_send.clear()
            head_starts.begin(other, SEGMENT, None)
            await asyncio.sleep(0)
        assert speaker.called_off.is_set()
        assert not speaker.obtained.is_set()
        speaker.answered.set()
    assert speaker.obtained.is_set()
