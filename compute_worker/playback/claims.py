"""Who is making which piece of speech, across all workers, so that each is made once.

A claim is a short lease in the job-state bucket: its holder renews it, and it vanishes by itself soon
after a holder that died.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog

from compute_worker.operations.job_states import JobStates
from shared.errors import LecternError

LEASE_SECONDS = 5.0
RENEW_SECONDS = 1.5  # and an answer is not waited for longer
RELEASE_SECONDS = 0.3  # what was made under the claim waits no longer for a broker that is away

log = structlog.get_logger(__name__)


@dataclass
class _Held:
    """value's mark tells a claim from every other, also from a later one of ours."""

    name: str
    value: dict[str, str]
    is_over: bool = False  # a cancellation alone may get lost in the broker's client


class Claims:
    def __init__(self, *, states: JobStates, worker_id: str) -> None:
        self._states = states
        self._worker_id = worker_id
        self._releases: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def claim(self, key: str) -> AsyncIterator[bool]:
        """Yields whether the claim is ours; if so it is held until the block ends."""
        value = {"worker_id": self._worker_id, "mark": secrets.token_hex(8)}
        held = _Held(f"claim.{key}", value)
        revision = await self._states.create(held.name, value, ttl_seconds=LEASE_SECONDS)
        if revision is None:
            yield False
            return
        renewal = asyncio.create_task(self._renew(held, revision))
        try:
            yield True
        finally:
            held.is_over = True
            renewal.cancel()
            release = asyncio.create_task(self._release(held))
            self._releases.add(release)
            release.add_done_callback(self._releases.discard)
            await asyncio.wait({release}, timeout=RELEASE_SECONDS)

    async def _renew(self, held: _Held, revision: int) -> None:
        """Until others have it."""
        current: int | None = revision
        while current is not None:
            await asyncio.sleep(RENEW_SECONDS)
            try:
                async with asyncio.timeout(RENEW_SECONDS):
                    current = await self._renewed(held, current)
            except (LecternError, TimeoutError) as error:
                log.warning("could not renew a claim", cause=type(error).__name__)

    async def _renewed(self, held: _Held, revision: int) -> int | None:
        """The claim's new revision. One that is not as we know it may still be ours, by a renewal whose
        answer was lost; and one that has lapsed is free."""
        if held.is_over:
            return None
        renewed = await self._states.update(held.name, held.value, revision, ttl_seconds=LEASE_SECONDS)
        if renewed is not None:
            return renewed
        present = await self._states.get(held.name)
        if present is not None:
            return present.revision if present.value == held.value else None
        if held.is_over:
            return None
        return await self._states.create(held.name, held.value, ttl_seconds=LEASE_SECONDS)

    async def _release(self, held: _Held) -> None:
        """Only what is ours still: a worker that was stopped for a while has lost its claims to others."""
        try:
            entry = await self._states.get(held.name)
            if entry is not None and entry.value == held.value:
                await self._states.delete(held.name, revision=entry.revision)
        except LecternError as error:
            log.warning("could not release a claim, it will lapse", reason=error.reason)
