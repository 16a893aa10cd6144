"""A provider's limits hold for all workers together: here two of them, on one broker."""

import asyncio
import contextlib
import random
import secrets
from collections.abc import AsyncIterator, Callable

import pytest

from compute_worker.operations.broker import BrokerLimits, connect_broker
from compute_worker.operations.job_states import JobStates
from compute_worker.playback.claims import Claims
from compute_worker.speech.model import RequestPolicy
from compute_worker.speech.turns import SharedTurns
from shared.errors import Code, LecternError

IN_THE_MIDDLE_OF_A_MINUTE = 1_000_000 * 60.0 + 30


class Clock:
    def __init__(self) -> None:
        self.now = IN_THE_MIDDLE_OF_A_MINUTE

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ref() -> str:
    return secrets.token_hex(8)


@pytest.fixture
async def workers(nats_server, clock) -> AsyncIterator[tuple[SharedTurns, SharedTurns]]:
    async with connect_broker({"servers": [nats_server.url]}, name="t", limits=BrokerLimits()) as broker:
        states = JobStates(broker=broker)

        def worker(name: str) -> SharedTurns:
            leases = Claims(states=states, worker_id=name)
            return SharedTurns(states=states, leases=leases, chance=random.Random(1), clock=clock)

        yield worker("a"), worker("b")


def policy(**limits: int) -> RequestPolicy:
    return RequestPolicy(**{"max_concurrent": 0, "max_wait_seconds": 0, **limits})


async def is_refused(turns: SharedTurns, ref: str, limits: RequestPolicy, characters: int = 10) -> bool:
    try:
        async with turns.turn(ref, limits, characters):
            return False
    except LecternError as error:
        refused = error
    assert (refused.code, refused.reason) == (Code.RESOURCE_EXHAUSTED, "PROVIDER_LIMITED")
    assert int(refused.details["retry_after_seconds"]) >= 1
    return True


async def test_no_more_ask_at_once_than_the_limit_says(workers, ref):
    limits = policy(max_concurrent=3, max_wait_seconds=60)
    at_once, most = 0, 0

    async def ask(turns: SharedTurns) -> None:
        nonlocal at_once, most
        async with turns.turn(ref, limits, 10):
            at_once += 1
            most = max(most, at_once)
            await asyncio.sleep(0.05)
            at_once -= 1

    async with asyncio.timeout(30):
        await asyncio.gather(*(ask(workers[number % 2]) for number in range(12)))
    assert most == 3


async def test_who_finds_no_place_in_time_is_told_when_to_come_again(workers, ref):
    limits = policy(max_concurrent=1)
    async with workers[0].turn(ref, limits, 10):
        assert await is_refused(workers[1], ref, limits)
    assert not await is_refused(workers[1], ref, limits)


@pytest.mark.parametrize(
    "limits", [{"requests_per_minute": 4}, {"characters_per_minute": 45}], ids=["requests", "characters"]
)
async def test_a_minutes_allowance_is_one_for_all_and_comes_back_with_time(workers, ref, clock, limits):
    answers = [await is_refused(workers[number % 2], ref, policy(**limits)) for number in range(6)]
    assert answers == [False] * 4 + [True] * 2
    clock.now += 31  # the next minute has begun, but most of the last one still counts
    assert [await is_refused(workers[0], ref, policy(**limits)) for _ in range(2)] == [True, True]
    clock.now += 60
    assert not await is_refused(workers[0], ref, policy(**limits))


async def test_a_text_longer_than_a_minutes_allowance_goes_alone(workers, ref):
    limits = policy(characters_per_minute=100)
    assert not await is_refused(workers[0], ref, limits, characters=500)
    assert await is_refused(workers[1], ref, limits, characters=1)


async def test_a_provider_that_wants_to_rest_is_left_alone_by_all(workers, ref, clock):
    await workers[0].rest(ref, 100)
    with pytest.raises(LecternError) as caught:
        async with workers[1].turn(ref, policy(), 10):
            pass
    assert caught.value.reason == "PROVIDER_RATE_LIMITED"
    assert caught.value.details["retry_after_seconds"] == "100"
    await workers[1].rest(ref, 1)  # a shorter rest does not end a longer one
    assert await raised_by(lambda: workers[0].turn(ref, policy(), 10)) == "PROVIDER_RATE_LIMITED"
    clock.now += 101
    assert await raised_by(lambda: workers[0].turn(ref, policy(), 10)) is None


async def raised_by(turn: Callable[[], contextlib.AbstractAsyncContextManager[None]]) -> str | None:
    try:
        async with turn():
            return None
    except LecternError as error:
        return error.reason
