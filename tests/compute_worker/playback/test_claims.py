"""A claim is one worker's at a time, and nobody lets go of somebody else's."""

import asyncio
import contextlib
import secrets

import pytest

from compute_worker.operations.broker import BrokerLimits, broker_unavailable, connect_broker
from compute_worker.operations.job_states import JobStates
from compute_worker.playback import claims
from compute_worker.playback.claims import Claim, ClaimLostError, Claims
from shared.errors import LecternError


@pytest.fixture
async def states(nats_server):
    async with connect_broker({"servers": [nats_server.url]}, name="t", limits=BrokerLimits()) as broker:
        yield JobStates(broker=broker)


async def test_only_one_holds_a_claim_and_it_is_free_afterwards(states):
    key = secrets.token_hex(8)
    first, second = (Claims(states=states, worker_id=name) for name in ("a", "b"))
    async with first.claim(key) as ours, second.claim(key) as theirs:
        assert ours
        assert not theirs
    async with second.claim(key) as theirs:
        assert theirs


async def test_who_lost_a_claim_while_it_was_stopped_leaves_it_to_its_new_holder(states):
    key = secrets.token_hex(8)
    paused, other = (Claims(states=states, worker_id=name) for name in ("paused", "other"))
    async with paused.claim(key) as ours:
        await states.delete(f"claim.{key}")  # as its lease does when it isn't renewed
        async with other.claim(key) as theirs:
            assert theirs
            new_holders = await states.get(f"claim.{key}")
            await ours.release()
            assert await states.get(f"claim.{key}") == new_holders


async def test_who_was_stopped_for_long_makes_sure_of_its_claim_before_it_acts(states, monkeypatch):
    key = secrets.token_hex(8)
    now = 1000.0
    monkeypatch.setattr(claims, "monotonic", lambda: now)
    paused, other = (Claims(states=states, worker_id=name) for name in ("paused", "other"))
    async with paused.claim(key) as ours:
        await states.delete(f"claim.{key}")
        async with other.claim(key):
            await ours.confirm()  # a lease cannot lapse as quickly as this, so nobody is asked
            now += claims.SURE_SECONDS
            with pytest.raises(ClaimLostError):
                await ours.confirm()
            with pytest.raises(ClaimLostError):
                await ours.confirm()


async def test_a_claim_that_lapsed_unnoticed_is_taken_again_before_it_is_acted_upon(states, monkeypatch):
    key = secrets.token_hex(8)
    now = 1000.0
    monkeypatch.setattr(claims, "monotonic", lambda: now)
    async with Claims(states=states, worker_id="a").claim(key) as ours:
        await states.delete(f"claim.{key}")
        now += claims.SURE_SECONDS
        await ours.confirm()
        async with Claims(states=states, worker_id="b").claim(key) as theirs:
            assert not theirs


async def until_it_is(states, key, holder):
    async with asyncio.timeout(20):
        while (entry := await states.get(f"claim.{key}")) is None or entry.value["worker_id"] != holder:
            await asyncio.sleep(0.02)


async def test_a_renewal_whose_answer_was_lost_is_no_loss_of_the_claim(states, monkeypatch):
    monkeypatch.setattr(claims, "RENEW_SECONDS", 0.1)
    update, renewed = states.update, asyncio.Semaphore(0)
    is_lost = True

    async def losing_the_first_answer(*arguments, **options):
        nonlocal is_lost
        revision = await update(*arguments, **options)
        if is_lost:
            is_lost = False
            raise broker_unavailable(TimeoutError())
        if revision is not None:
            renewed.release()
        return revision

    monkeypatch.setattr(states, "update", losing_the_first_answer)
    async with Claims(states=states, worker_id="a").claim(secrets.token_hex(8)), asyncio.timeout(20):
        for _ in range(3):
            await renewed.acquire()


async def test_a_claim_that_lapsed_is_taken_again_while_nobody_else_has_it(states, monkeypatch):
    monkeypatch.setattr(claims, "RENEW_SECONDS", 0.1)
    key = secrets.token_hex(8)
    async with Claims(states=states, worker_id="a").claim(key):
        await states.delete(f"claim.{key}")
        await until_it_is(states, key, "a")


async def test_after_an_outage_claims_are_left_to_whoever_held_them(states, monkeypatch):
    key = secrets.token_hex(8)
    now = 1000.0
    monkeypatch.setattr(claims, "monotonic", lambda: now)
    holder, other = (Claims(states=states, worker_id=name) for name in ("holder", "other"))

    async def away(*_arguments, **_options):
        raise broker_unavailable(TimeoutError())

    async with holder.claim(key) as ours:
        await states.delete(f"claim.{key}")  # as the broker does with what was not renewed meanwhile
        with monkeypatch.context() as outage:
            outage.setattr(states, "create", away)
            with pytest.raises(LecternError):
                await other.claim(key).__aenter__()
        async with other.claim(key) as theirs:
            assert not theirs
        await ours._renew()
        now += claims.SETTLE_SECONDS
        async with other.claim(key) as theirs:
            assert not theirs
    async with other.claim(key) as theirs:
        assert theirs


async def test_a_claim_that_others_have_by_now_is_theirs(states, monkeypatch):
    monkeypatch.setattr(claims, "RENEW_SECONDS", 0.1)
    key = secrets.token_hex(8)
    async with Claims(states=states, worker_id="b").claim(key):
        mine = Claim(states=states, name=f"claim.{key}", worker_id="a")
        mine._know(1, 0.0)
        await asyncio.wait_for(mine.keep_renewed(), 20)
        await until_it_is(states, key, "b")


async def test_what_was_made_does_not_wait_for_a_broker_that_is_away(states, monkeypatch):
    is_back = asyncio.Event()
    get = states.get

    async def getting_late(key):
        await is_back.wait()
        return await get(key)

    key = secrets.token_hex(8)
    async with asyncio.timeout(20):
        async with Claims(states=states, worker_id="a").claim(key):
            monkeypatch.setattr(states, "get", getting_late)
        is_back.set()
        while await get(f"claim.{key}") is not None:
            await asyncio.sleep(0.02)


async def test_who_need_not_wait_for_it_lets_go_meanwhile(states, monkeypatch):
    is_told, get = asyncio.Event(), states.get

    async def getting_late(key):
        await is_told.wait()
        return await get(key)

    key = secrets.token_hex(8)
    async with asyncio.timeout(20):
        async with Claims(states=states, worker_id="a", release_seconds=0.0).claim(key):
            monkeypatch.setattr(states, "get", getting_late)
        assert await get(f"claim.{key}") is not None
        is_told.set()
        while await get(f"claim.{key}") is not None:
            await asyncio.sleep(0.02)


async def test_a_claim_that_was_let_go_is_not_taken_again_by_its_renewal(states, monkeypatch):
    """A cancellation may get lost where it meets an answer (asyncio.wait_for, before Python 3.12)."""
    monkeypatch.setattr(claims, "RENEW_SECONDS", 0.1)
    is_renewing = asyncio.Event()

    async def losing_the_cancellation(*_arguments, **_options):
        is_renewing.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)

    monkeypatch.setattr(states, "update", losing_the_cancellation)
    async with asyncio.timeout(20):
        async with Claims(states=states, worker_id="a").claim(secrets.token_hex(8)):
            await is_renewing.wait()
        while any("Claim.keep_renewed" in str(task.get_coro()) for task in asyncio.all_tasks()):
            await asyncio.sleep(0.02)
