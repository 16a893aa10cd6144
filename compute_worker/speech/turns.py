"""Whose turn it is at a provider, across all workers: how many ask at once and in a minute, and its rests."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Final, Protocol

from compute_worker.operations.job_states import JobStates
from compute_worker.speech.model import RequestPolicy
from compute_worker.speech.retry import LONGEST_PAUSE_SECONDS, Failure, error_of
from shared.errors import Code, LecternError

MINUTE_SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.15  # for a free place; jittered
MOST_PLACES: Final = 64  # a limit above it is none


class Leases(Protocol):
    def claim(self, key: str) -> AbstractAsyncContextManager[object | None]:
        """Yields what is held until the block ends or its holder dies, None if others hold the key."""
        ...


class Turns(Protocol):
    def turn(self, ref: str, policy: RequestPolicy, characters: int) -> AbstractAsyncContextManager[None]:
        """For one request. Raises RESOURCE_EXHAUSTED when the turn doesn't come within the policy's time."""
        ...

    async def rest(self, ref: str, seconds: float) -> None:
        """Nobody asks the provider for so long."""
        ...


class UnlimitedTurns:
    """For a provider that nobody else asks."""

    @asynccontextmanager
    async def turn(self, ref: str, policy: RequestPolicy, characters: int) -> AsyncIterator[None]:  # noqa: ARG002
        yield

    async def rest(self, ref: str, seconds: float) -> None:
        """Its caller rests by itself."""


class SharedTurns:
    def __init__(
        self,
        *,
        states: JobStates,
        leases: Leases,
        chance: random.Random,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._states = states
        self._leases = leases
        self._chance = chance
        self._clock = clock

    @asynccontextmanager
    async def turn(self, ref: str, policy: RequestPolicy, characters: int) -> AsyncIterator[None]:
        deadline = self._clock() + policy.max_wait_seconds
        async with AsyncExitStack() as place:
            await self._take_place(place, ref, policy, deadline)
            await self._wait_until_rested(ref)
            await self._wait_for_minute(ref, policy, characters, deadline)
            yield

    async def rest(self, ref: str, seconds: float) -> None:
        until = self._clock() + seconds
        entry = await self._states.get(_rest_key(ref))
        if seconds > 0 and (entry is None or entry.value["until"] < until):
            await self._states.put(_rest_key(ref), {"until": until}, ttl_seconds=max(seconds, 1.0))

    async def _take_place(
        self, stack: AsyncExitStack, ref: str, policy: RequestPolicy, deadline: float
    ) -> None:
        if not 0 < policy.max_concurrent <= MOST_PLACES:
            return
        while True:
            first = self._chance.randrange(policy.max_concurrent)
            for number in range(policy.max_concurrent):
                place = self._leases.claim(f"provider.{ref}.{(first + number) % policy.max_concurrent}")
                if await place.__aenter__() is not None:
                    stack.push_async_exit(place)
                    return
                await place.__aexit__(None, None, None)
            if self._clock() >= deadline:
                raise _no_turn(1.0)
            await asyncio.sleep(POLL_SECONDS * self._chance.uniform(0.5, 1.5))

    async def _wait_until_rested(self, ref: str) -> None:
        while (entry := await self._states.get(_rest_key(ref))) is not None:
            pause = entry.value["until"] - self._clock()
            if pause <= 0:
                return
            if pause > LONGEST_PAUSE_SECONDS:
                raise error_of(Failure(429, retry_after_seconds=pause))
            await asyncio.sleep(pause)

    async def _wait_for_minute(
        self, ref: str, policy: RequestPolicy, characters: int, deadline: float
    ) -> None:
        if not policy.requests_per_minute and not policy.characters_per_minute:
            return
        while True:
            entry = await self._states.get(_minute_key(ref))
            now = self._clock()
            minute, gone = divmod(now, MINUTE_SECONDS)
            used = _Used.of(entry.value if entry else None, int(minute))
            if not used.has_room(policy, characters, gone / MINUTE_SECONDS):
                if now >= deadline:
                    raise _no_turn(MINUTE_SECONDS - gone)
                await asyncio.sleep(min(1.0, max(deadline - now, 0.05)))
                continue
            value = used.with_one_more(characters)
            if entry is None:
                written = await self._states.create(_minute_key(ref), value, ttl_seconds=2 * MINUTE_SECONDS)
            else:
                written = await self._states.update(
                    _minute_key(ref), value, entry.revision, ttl_seconds=2 * MINUTE_SECONDS
                )
            if written is not None:
                return
            await asyncio.sleep(self._chance.uniform(0, 0.02))  # others were quicker


class _Used:
    """Requests and characters of a minute and of the one before, which counts for as much of it as a minute
    that ends now still covers."""

    def __init__(self, minute: int, now: tuple[int, int], before: tuple[int, int]) -> None:
        self._minute = minute
        self._now = now
        self._before = before

    @staticmethod
    def of(value: dict[str, list[int]] | None, minute: int) -> "_Used":
        nothing = (0, 0)
        if value is None:
            return _Used(minute, nothing, nothing)
        written = value["minute"][0]
        now, before = (value["now"][0], value["now"][1]), (value["before"][0], value["before"][1])
        if written == minute:
            return _Used(minute, now, before)
        return _Used(minute, nothing, now if written == minute - 1 else nothing)

    def has_room(self, policy: RequestPolicy, characters: int, share_gone: float) -> bool:
        """A text that is longer than a minute's allowance goes alone."""
        requests, said = (
            now + before * (1 - share_gone) for now, before in zip(self._now, self._before, strict=True)
        )
        if policy.requests_per_minute and requests + 1 > policy.requests_per_minute:
            return False
        limit = policy.characters_per_minute
        return not limit or said + characters <= limit or said < 1

    def with_one_more(self, characters: int) -> dict[str, list[int]]:
        requests, said = self._now
        return {
            "minute": [self._minute],
            "now": [requests + 1, said + characters],
            "before": list(self._before),
        }


def _no_turn(retry_after_seconds: float) -> LecternError:
    return LecternError(
        Code.RESOURCE_EXHAUSTED,
        "The speech provider is asked as often as the limits set for it allow. Try again in a moment.",
        reason="PROVIDER_LIMITED",
        details={"retry_after_seconds": f"{max(retry_after_seconds, 1):.0f}"},
    )


def _rest_key(ref: str) -> str:
    return f"provider.rest.{ref}"


def _minute_key(ref: str) -> str:
    return f"provider.minute.{ref}"
