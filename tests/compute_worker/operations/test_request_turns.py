"""What a request waits for itself has its turn like a job: so many at once, so many waiting, so long."""

import asyncio
from dataclasses import replace

import pytest

from compute_worker.operations.policy import ActionPolicy, PolicyInForce, Priority, WorkPolicy
from compute_worker.operations.request_turns import RequestTurns
from compute_worker.operations.slots import Slots
from shared.errors import Code, LecternError

LIMITED = ActionPolicy(
    Priority.FOREGROUND, is_limited=True, max_queued=1, max_concurrent=1, max_queue_age_seconds=3600
)


class Plans:
    """Requests that each take their turn and hold it until they are let go."""

    def __init__(self, policy: ActionPolicy) -> None:
        in_force = PolicyInForce(WorkPolicy(actions={"plan": policy}))
        self.slots = Slots(policy=in_force)
        self._turns = RequestTurns(slots=self.slots, policy=in_force, action="plan")
        self._may_end = asyncio.Event()

    async def make(self) -> None:
        async with self._turns.one():
            await self._may_end.wait()

    async def begin(self) -> "asyncio.Task[None]":
        task = asyncio.create_task(self.make())
        await asyncio.sleep(0)
        return task

    def let_all_go(self) -> None:
        self._may_end.set()


async def test_one_is_made_one_waits_and_the_third_is_refused() -> None:
    plans = Plans(LIMITED)
    first, second = await plans.begin(), await plans.begin()
    assert (plans.slots.executing, plans.slots.waiting("plan")) == ({"plan": 1}, 1)
    with pytest.raises(LecternError) as refused:
        await plans.make()
    assert (refused.value.code, refused.value.reason) == (Code.RESOURCE_EXHAUSTED, "QUEUE_LIMIT_REACHED")
    plans.let_all_go()
    await asyncio.gather(first, second)
    assert (plans.slots.executing, plans.slots.waiting("plan")) == ({}, 0)


async def test_who_waits_longer_than_the_policy_allows_is_told() -> None:
    plans = Plans(replace(LIMITED, max_queue_age_seconds=0))
    first = await plans.begin()
    with pytest.raises(LecternError) as refused:
        await plans.make()
    assert refused.value.reason == "WAITED_TOO_LONG"
    plans.let_all_go()
    await first
    assert plans.slots.executing == {}


async def test_a_request_that_is_called_off_leaves_its_turn_to_others() -> None:
    plans = Plans(LIMITED)
    first, second = await plans.begin(), await plans.begin()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    plans.let_all_go()
    await second
    assert plans.slots.executing == {}


async def test_without_a_limit_nobody_waits() -> None:
    plans = Plans(ActionPolicy(Priority.FOREGROUND))
    every = [await plans.begin() for _ in range(9)]
    assert plans.slots.executing == {"plan": 9}
    plans.let_all_go()
    await asyncio.gather(*every)
