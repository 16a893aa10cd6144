"""What a provider was asked for is made, stored and not asked for again, whatever becomes of who asked."""

import asyncio
from contextlib import suppress

import pytest

from compute_worker.playback import started_speech
from compute_worker.playback.claims import Claim, ClaimLostError
from compute_worker.playback.started_speech import StartedSpeech
from lectern.compute.v1 import playback_pb2
from servers.held_provider import HeldProvider
from shared.errors import Code, LecternError
from shared.objects.s3_store import S3Store

TEXT = "\n\n".join(f"This is paragraph number {n} of the story." for n in range(3))
REFUSALS = 6  # of a store that is away: whoever waits for the claim looks again more often than that


@pytest.fixture
async def provider(credential_book):
    held = HeldProvider()
    async with held.serving() as address:
        credential_book.add_custom("held", address)
        yield held


async def test_a_request_under_way_is_finished_after_its_run_was_cancelled(worker, provider, monkeypatch):
    monkeypatch.setattr(started_speech, "DRAIN_SECONDS", 0.0)  # that is for a worker that stops
    reading_ref = await worker.read(TEXT)
    listener = await worker.listen(reading_ref, provider_ref="held", voice="any")
    await provider.until_asked_for("number 0")
    await worker.playback.CancelSession(playback_pb2.CancelSessionRequest(session_id=listener.session_id))
    again = await worker.listen(reading_ref, provider_ref="held", voice="any")
    assert again.session_id == listener.session_id
    provider.released.set()
    await again.until(lambda it: len(it.segments) == it.segment_count)
    assert len(provider.asked) == len(set(provider.asked)) == listener.segment_count


async def test_speech_is_not_made_by_others_while_it_waits_to_be_stored(
    worker, open_worker, provider, monkeypatch
):
    """Its maker keeps the claim: who got it would find nothing in the store."""
    provider.released.set()
    refusals = dict.fromkeys(range(REFUSALS))
    put = S3Store.put

    async def away(self, key, *arguments, **options):
        if key.startswith("speech/") and refusals:
            refusals.popitem()
            raise LecternError(Code.UNAVAILABLE, "Away.", reason="OBJECT_STORE_UNAVAILABLE")
        await put(self, key, *arguments, **options)

    monkeypatch.setattr(S3Store, "put", away)
    reading_ref = await worker.read(TEXT)
    listeners = [
        await one.listen(reading_ref, owner_id=f"listener {n}", provider_ref="held", voice="any")
        for n, one in enumerate([worker, await open_worker()])
    ]
    for listener in listeners:
        await listener.until(lambda it: len(it.segments) == it.segment_count)
    assert not refusals
    assert len(provider.asked) == len(set(provider.asked)) == listeners[0].segment_count


async def test_a_worker_that_lost_its_claim_before_it_asked_leaves_the_piece_to_others(
    worker, provider, monkeypatch
):
    """As one does that was stopped for longer than a claim lasts. Nobody else is there, so it asks later."""
    provider.released.set()
    confirm, asked_when_lost = Claim.confirm, []

    async def losing_the_first(claim):
        if not asked_when_lost:
            asked_when_lost.append(len(provider.asked))
            raise ClaimLostError
        await confirm(claim)

    monkeypatch.setattr(Claim, "confirm", losing_the_first)
    listener = await worker.listen(await worker.read(TEXT), provider_ref="held", voice="any")
    await listener.until(lambda it: len(it.segments) == it.segment_count)
    assert asked_when_lost == [0]
    assert len(provider.asked) == len(set(provider.asked)) == listener.segment_count
    assert not listener.problems


async def test_a_worker_that_stops_waits_for_what_is_under_way():
    async with StartedSpeech() as started:
        answer, task = asyncio.Event(), None

        async def speak() -> str:
            await answer.wait()
            return "stored"

        task = asyncio.create_task(speak())
        started.finish(task)
        asyncio.get_running_loop().call_soon(answer.set)
    assert task.result() == "stored"


async def test_but_not_for_ever(monkeypatch):
    monkeypatch.setattr(started_speech, "DRAIN_SECONDS", 0.01)
    async with StartedSpeech() as started:
        task = asyncio.create_task(asyncio.Event().wait())
        started.finish(task)
    assert task.cancelled()


async def test_what_fails_without_anybody_is_only_told_in_the_log():
    async def fail() -> None:
        raise LecternError(Code.UNAVAILABLE, "Away.", reason="PROVIDER_UNAVAILABLE")

    async with StartedSpeech() as started:
        task = asyncio.create_task(fail())
        started.finish(task)
    with suppress(LecternError):
        await task
    assert task.done()
