"""The bucket's compare-and-set, lifetimes and watching."""

import asyncio
import secrets

import pytest

from compute_worker.operations.broker import BrokerLimits, ensure_stores


@pytest.fixture
def key() -> str:
    return f"test.{secrets.token_hex(8)}"


async def test_a_key_is_created_once(operations, key):
    revision = await operations.states.create(key, {"n": 1})
    assert revision is not None
    assert await operations.states.create(key, {"n": 2}) is None
    entry = await operations.states.get(key)
    assert (entry.value, entry.revision) == ({"n": 1}, revision)


async def test_only_the_latest_revision_may_be_updated(operations, key):
    first = await operations.states.create(key, {"n": 1})
    second = await operations.states.update(key, {"n": 2}, first)
    assert second is not None
    assert await operations.states.update(key, {"n": 3}, first) is None
    assert (await operations.states.get(key)).value == {"n": 2}


async def test_a_deleted_key_is_gone_and_can_be_created_at_once(operations, key):
    await operations.states.create(key, {"n": 1})
    await operations.states.delete(key)
    assert await operations.states.get(key) is None
    assert await operations.states.create(key, {"n": 2}) is not None


async def test_deleting_leaves_nothing_behind(operations, key):
    await operations.states.create(key, {"n": 1})
    await operations.states.delete(key)
    async with asyncio.timeout(10):
        while (await _keys(operations, key)) > 0:
            await asyncio.sleep(0.1)


async def test_a_value_with_a_lifetime_vanishes(operations, key):
    await operations.states.create(key, {"n": 1}, ttl_seconds=1)
    async with asyncio.timeout(10):
        while await operations.states.get(key) is not None:
            await asyncio.sleep(0.1)
    assert await operations.states.create(key, {"n": 2}) is not None


async def test_watching_gives_the_present_value_and_every_later_one(operations, key):
    await operations.states.put(key, {"n": 1})
    seen: asyncio.Queue[dict] = asyncio.Queue()
    async with operations.states.watch(key, seen.put_nowait):
        assert await asyncio.wait_for(seen.get(), 5) == {"n": 1}
        await operations.states.put(key, {"n": 2})
        assert await asyncio.wait_for(seen.get(), 5) == {"n": 2}


async def test_events_are_replayed_from_any_of_them_on(operations, key):
    ids = [await operations.events.publish(key, {"n": n}) for n in range(4)]
    async with operations.events.follow(key, after_event_id=ids[1]) as following:
        replayed = await asyncio.wait_for(following.stored(), 5)
        assert len(replayed) == 2
        ids.append(await operations.events.publish(key, {"n": 4}))
        replayed.append(await asyncio.wait_for(following.queue.get(), 5))
    assert [(e.event_id, e.payload["n"]) for e in replayed] == [(ids[2], 2), (ids[3], 3), (ids[4], 4)]


async def test_stores_change_their_sizes_in_place(operations, key):
    await operations.states.put(key, {"n": 1})
    jetstream = operations.broker.jetstream
    try:
        await ensure_stores(jetstream, BrokerLimits(jobs_max_bytes=1_000_000, job_states_max_bytes=2_000_000))
        assert (await jetstream.stream_info("lectern_jobs")).config.max_bytes == 1_000_000
        assert (await jetstream.stream_info("KV_lectern_job_states")).config.max_bytes == 2_000_000
        assert (await operations.states.get(key)).value == {"n": 1}
    finally:
        await ensure_stores(jetstream, BrokerLimits())


async def _keys(operations, key: str) -> int:
    info = await operations.broker.jetstream.stream_info(
        "KV_lectern_job_states", subjects_filter=f"$KV.lectern_job_states.{key}"
    )
    return len(info.state.subjects or {})
