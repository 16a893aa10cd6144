"""How much a worker does at once, and whose turn is next: interactive before foreground before background.

A slot is held by work that is going on. Work that rests, such as a playback run whose listener has enough,
holds none.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from compute_worker.operations.policy import PolicyInForce, Priority
from shared.errors import Code, LecternError


@dataclass(frozen=True)
class Pool:
    """What a worker bears whatever the policy allows: so many jobs of these actions at once."""

    actions: frozenset[str]
    limit: int


@dataclass
class _Waiter:
    action: str
    number: int
    turn: "asyncio.Future[None]"


class Slots:
    def __init__(self, *, policy: PolicyInForce, pools: tuple[Pool, ...] = ()) -> None:
        self._policy = policy
        self._pools = pools
        self._executing: Counter[str] = Counter()
        self._waiting: list[_Waiter] = []
        self._arrivals = 0
        policy.on_change(self._grant)

    @property
    def executing(self) -> Mapping[str, int]:
        """How many are going on, by action."""
        return +self._executing

    def waiting(self, action: str) -> int:
        return sum(1 for waiter in self._waiting if waiter.action == action)

    def is_free_for_all(self, action: str) -> bool:
        """Nothing ever keeps this action waiting."""
        return not self._policy.current.of(action).is_limited and not self._pools_of(action)

    def max_wait_seconds(self, action: str) -> float | None:
        return self._policy.current.max_wait_seconds(action)

    async def take(self, action: str) -> None:
        waiter = _Waiter(action, self._arrivals, asyncio.get_running_loop().create_future())
        self._arrivals += 1
        self._waiting.append(waiter)
        self._grant()
        try:
            await waiter.turn
        except asyncio.CancelledError:
            if waiter.turn.done() and not waiter.turn.cancelled():
                self.leave(action)  # it came in the moment in which nobody wanted it any more
            else:
                self._waiting.remove(waiter)
            raise

    def take_now(self, action: str) -> bool:
        """Whether one was free: then nobody who waits could have taken it."""
        has_room = self._has_room(action)
        if has_room:
            self._executing[action] += 1
        return has_room

    def leave(self, action: str) -> None:
        self._executing[action] -= 1
        self._grant()

    @asynccontextmanager
    async def executing_one(self, action: str) -> AsyncIterator[None]:
        await self.take(action)
        try:
            yield
        finally:
            self.leave(action)

    def _grant(self) -> None:
        for waiter in sorted(self._waiting, key=self._rank):
            if not waiter.turn.done() and self._has_room(waiter.action):
                self._executing[waiter.action] += 1
                self._waiting.remove(waiter)
                waiter.turn.set_result(None)

    def _rank(self, waiter: _Waiter) -> tuple[Priority, int]:
        return self._policy.current.of(waiter.action).priority, waiter.number

    def _has_room(self, action: str) -> bool:
        if any(self._sum(pool.actions) >= pool.limit for pool in self._pools_of(action)):
            return False
        policy = self._policy.current
        mine = policy.of(action)
        if not mine.is_limited:
            return True
        limited = {name for name in self._executing if policy.of(name).is_limited}
        return (
            self._executing[action] < mine.max_concurrent
            and self._sum(limited) < policy.max_executing
            and all(
                self._sum({name for name in limited if resource in policy.of(name).resources})
                < policy.resources.get(resource, 1)
                for resource in mine.resources
            )
        )

    def _sum(self, actions: "frozenset[str] | set[str]") -> int:
        return sum(self._executing[action] for action in actions)

    def _pools_of(self, action: str) -> list[Pool]:
        return [pool for pool in self._pools if action in pool.actions]


class SlotTurn:
    def __init__(self, *, slots: Slots) -> None:
        self._slots = slots
        self._held: str | None = None

    def is_held_as(self, action: str) -> bool:
        return self._held == action

    def take_now(self, action: str) -> bool:
        self.rest()
        if self._slots.take_now(action):
            self._held = action
        return self._held is not None

    async def take(self, action: str) -> None:
        """Raises RESOURCE_EXHAUSTED when it takes longer than the action may wait."""
        if self._held == action:
            return
        try:
            async with asyncio.timeout(self._slots.max_wait_seconds(action)):
                await self.take_first(action)
        except TimeoutError as error:
            raise LecternError(
                Code.RESOURCE_EXHAUSTED,
                "Too much else had to be done before this. Try again in a while.",
                reason="WAITED_TOO_LONG",
            ) from error

    async def take_first(self, action: str) -> None:
        """For a job that has not begun: how long it may wait is counted from when it was submitted."""
        self.rest()
        await self._slots.take(action)
        self._held = action

    def rest(self) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            self._slots.leave(held)
