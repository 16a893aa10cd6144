"""A claim is one worker's at a time, and nobody lets go of somebody else's."""

import secrets

import pytest

from compute_worker.operations.broker import BrokerLimits, connect_broker
from compute_worker.operations.job_states import JobStates
from compute_worker.playback.claims import Claims


@pytest.fixture
async def states(nats_server):
    async with connect_broker({"servers": [nats_server.url]}, name="t", limits=BrokerLimits()) as broker:
        yield JobStates(broker=broker)


async def test_only_one_holds_a_claim_and_it_is_free_afterwards(states):
    key = secrets.token_hex(8)
    first, second = (Claims(states=states, worker_id=name) for name in ("a", "b"))
    async with first.claim(key) as ours, second.claim(key) as theirs:
        assert (ours, theirs) == (True, False)
    async with second.claim(key) as theirs:
        assert theirs


async def test_who_lost_a_claim_while_it_was_stopped_leaves_it_to_its_new_holder(states):
    key = secrets.token_hex(8)
    paused, other = (Claims(states=states, worker_id=name) for name in ("paused", "other"))
    async with paused.claim(key):
        await states.delete(f"claim.{key}")  # as its lease does when it isn't renewed
        async with other.claim(key) as theirs:
            assert theirs
            new_holders = await states.get(f"claim.{key}")
            await paused._release(f"claim.{key}", {"worker_id": "paused", "mark": "an older one"})
            assert await states.get(f"claim.{key}") == new_holders
