"""Turns for what a request waits for itself, without the queue: limited like the jobs of an action."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from compute_worker.operations.backlog import queue_limit_reached
from compute_worker.operations.policy import PolicyInForce
from compute_worker.operations.slots import Slots, SlotTurn


class RequestTurns:
    def __init__(self, *, slots: Slots, policy: PolicyInForce, action: str) -> None:
        self._slots = slots
        self._policy = policy
        self._action = action

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Raises RESOURCE_EXHAUSTED when as many wait on this worker as may, and when it took too long."""
        turn = SlotTurn(slots=self._slots)
        if not turn.take_now(self._action):
            policy = self._policy.current.of(self._action)
            if policy.is_limited and self._slots.waiting(self._action) >= policy.max_queued:
                raise queue_limit_reached(self._action)
            await turn.take(self._action)
        try:
            yield
        finally:
            turn.rest()
