"""How much a worker does at once, and what comes first, in every order in which work may arrive and end."""

import asyncio
from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compute_worker.operations.policy import (
    ALIGN_RECORDING,
    ActionPolicy,
    PolicyInForce,
    Priority,
    WorkPolicy,
)
from compute_worker.operations.slots import Pool, Slots, SlotTurn

MANY = 2**53


def limited(
    priority: Priority = Priority.FOREGROUND, *resources: str, at_once: int = MANY, seconds: int = MANY
) -> ActionPolicy:
    return ActionPolicy(
        priority,
        is_limited=True,
        max_queued=MANY,
        max_concurrent=at_once,
        max_queue_age_seconds=seconds,
        resources=resources,
    )


def work_policy(
    *, at_once: int = MANY, resources: Mapping[str, int] | None = None, **actions: ActionPolicy
) -> WorkPolicy:
    return WorkPolicy(actions=actions, max_executing=at_once, resources=resources or {})


async def still() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


class Waiting:
    """Jobs that wait for their turn, and those that got it, in that order."""

    def __init__(self, slots: Slots) -> None:
        self.slots = slots
        self.begun: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    def add(self, action: str) -> "asyncio.Task[None]":
        async def wait() -> None:
            await self.slots.take(action)
            self.begun.append(action)

        self.tasks.append(asyncio.create_task(wait()))
        return self.tasks[-1]

    async def end(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


async def test_the_most_urgent_comes_first_and_equals_in_the_order_of_their_arrival() -> None:
    policy = work_policy(
        at_once=1,
        listen=limited(Priority.INTERACTIVE),
        open=limited(Priority.FOREGROUND),
        also=limited(Priority.FOREGROUND),
        ahead=limited(Priority.BACKGROUND),
    )
    slots = Slots(policy=PolicyInForce(policy))
    await slots.take("ahead")
    waiting = Waiting(slots)
    for action in ("ahead", "open", "also", "ahead", "listen", "open"):
        waiting.add(action)
        await still()
    while waiting.begun != ["listen", "open", "also", "open", "ahead", "ahead"]:
        before = len(waiting.begun)
        slots.leave(waiting.begun[-1] if waiting.begun else "ahead")
        await still()
        assert len(waiting.begun) == before + 1, waiting.begun


async def test_what_can_not_begin_yet_keeps_nobody_who_can() -> None:
    policy = work_policy(
        resources={"cpu_heavy": 1, "media": 1},
        pdf=limited(Priority.FOREGROUND, "cpu_heavy"),
        mix=limited(Priority.BACKGROUND, "media"),
    )
    slots = Slots(policy=PolicyInForce(policy))
    waiting = Waiting(slots)
    for action in ("pdf", "pdf", "mix"):
        waiting.add(action)
    await still()
    assert waiting.begun == ["pdf", "mix"]
    await waiting.end()


async def test_a_changed_policy_counts_at_once_also_for_who_waits() -> None:
    policy = PolicyInForce(work_policy(at_once=1, pdf=limited()))
    slots = Slots(policy=policy)
    waiting = Waiting(slots)
    for _ in range(4):
        waiting.add("pdf")
    await still()
    assert len(waiting.begun) == 1
    policy.learn(work_policy(at_once=3, pdf=limited()))
    await still()
    assert len(waiting.begun) == 3
    policy.learn(work_policy(at_once=1, pdf=ActionPolicy()))
    await still()
    assert len(waiting.begun) == 4
    assert slots.is_free_for_all("pdf")


async def test_actions_that_are_not_limited_take_nothing_from_those_that_are() -> None:
    policy = work_policy(
        at_once=1,
        resources={"cpu_heavy": 1},
        pdf=limited(Priority.FOREGROUND, "cpu_heavy"),
        free=ActionPolicy(resources=("cpu_heavy",)),
    )
    slots = Slots(policy=PolicyInForce(policy))
    waiting = Waiting(slots)
    for action in ("free", "free", "pdf", "free"):
        waiting.add(action)
    await still()
    assert Counter(waiting.begun) == {"free": 3, "pdf": 1}


async def test_what_a_worker_bears_holds_without_any_limit() -> None:
    slots = Slots(policy=PolicyInForce(), pools=(Pool(frozenset({"pdf_layout", "document_preview"}), 2),))
    waiting = Waiting(slots)
    for action in ("document_preview", "document_preview", "document_preview", "pdf_layout"):
        waiting.add(action)
    await still()
    assert waiting.begun == ["document_preview"] * 2
    slots.leave("document_preview")
    await still()
    assert waiting.begun[2:] == ["pdf_layout"]  # shipped as the more urgent one
    await waiting.end()


async def test_recordings_are_aligned_as_many_at_once_as_their_resource_allows() -> None:
    slots = Slots(policy=PolicyInForce(work_policy(resources={"align": 2})))
    waiting = Waiting(slots)
    for _ in range(3):
        waiting.add(ALIGN_RECORDING)
    await still()
    assert len(waiting.begun) == 2
    await waiting.end()


async def test_who_stops_waiting_leaves_no_slot_taken() -> None:
    policy = PolicyInForce(work_policy(at_once=1, pdf=limited()))
    slots = Slots(policy=policy)
    await slots.take("pdf")
    impatient = asyncio.create_task(slots.take("pdf"))
    await still()
    slots.leave("pdf")  # the slot is theirs, and they are called off before they know
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    assert slots.executing == {}
    assert slots.waiting("pdf") == 0


async def test_a_turn_rests_changes_and_is_held_once() -> None:
    slots = Slots(policy=PolicyInForce(work_policy(at_once=1, near=limited(), far=limited())))
    turn, other = SlotTurn(slots=slots), SlotTurn(slots=slots)
    await turn.take("near")
    await turn.take("near")
    assert slots.executing == {"near": 1}
    waiting = asyncio.create_task(other.take("near"))
    await still()
    assert not waiting.done()
    turn.rest()
    turn.rest()
    await waiting
    assert (turn.is_held_as("near"), other.is_held_as("near")) == (False, True)
    await other.take("far")
    assert slots.executing == {"far": 1}


ACTIONS = ("a", "b", "c")
RESOURCES = ("x", "y")
POLICIES = st.builds(
    lambda at_once, x, y, actions: WorkPolicy(
        dict(zip(ACTIONS, actions, strict=True)), at_once, {"x": x, "y": y}
    ),
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(1, 2),
    st.tuples(
        *[
            st.builds(
                lambda priority, is_limited, at_once, resources: ActionPolicy(
                    priority, is_limited, 1, at_once, 1, tuple(resources)
                ),
                st.sampled_from(Priority),
                st.booleans(),
                st.integers(1, 2),
                st.sets(st.sampled_from(RESOURCES)),
            )
            for _ in ACTIONS
        ]
    ),
)
STEPS = st.lists(st.tuples(st.sampled_from(["arrive", "end", "give up"]), st.integers(0, 9)), max_size=25)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(policy=POLICIES, steps=STEPS)
def test_limits_hold_and_nobody_waits_for_nothing(policy: WorkPolicy, steps: list[tuple[str, int]]) -> None:
    async def holds() -> None:
        slots = Slots(policy=PolicyInForce(policy))
        waiting = Waiting(slots)
        going_on: list[str] = []
        for step, number in steps:
            if step == "arrive":
                waiting.add(ACTIONS[number % 3])
            elif step == "end" and going_on:
                slots.leave(going_on.pop(number % len(going_on)))
            elif step == "give up" and waiting.tasks:
                waiting.tasks[number % len(waiting.tasks)].cancel()
            await still()
            going_on += waiting.begun
            waiting.begun.clear()
            assert Counter(going_on) == slots.executing
            _check(policy, slots)
        await waiting.end()
        for action in going_on:
            slots.leave(action)
        assert slots.executing == {}

    asyncio.run(holds())


def _check(policy: WorkPolicy, slots: Slots) -> None:
    for action in ACTIONS:
        if slots.waiting(action):
            assert not _fits(policy, Counter(slots.executing) + Counter([action])), action
    assert _fits(policy, Counter(slots.executing))


def _fits(policy: WorkPolicy, executing: "Counter[str]") -> bool:
    counted = {name: count for name, count in executing.items() if policy.of(name).is_limited}
    return (
        sum(counted.values()) <= policy.max_executing
        and all(count <= policy.of(name).max_concurrent for name, count in counted.items())
        and all(
            sum(count for name, count in counted.items() if resource in policy.of(name).resources) <= limit
            for resource, limit in policy.resources.items()
        )
    )
