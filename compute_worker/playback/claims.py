"""Who is making which piece of speech, across all workers, so that each is made once.

A claim is a short lease in the job-state bucket: its holder renews it, and it vanishes by itself soon
after a holder that died.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog

from compute_worker.operations.job_states import JobStates
from shared.errors import LecternError

LEASE_SECONDS = 5.0
RENEW_SECONDS = 1.5  # and an answer is not waited for longer
RELEASE_SECONDS = 0.3  # what was made under the claim waits no longer for a broker that is away

log = structlog.get_logger(__name__)


class Claims:
    def __init__(self, *, states: JobStates, worker_id: str) -> None:
        self._states = states
        self._worker_id = worker_id
        self._releases: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def claim(self, key: str) -> AsyncIterator[bool]:
        """Yields whether the claim is ours; if so it is held until the block ends."""
        name = f"claim.{key}"
        # The mark tells this claim from every other, also from a later one of ours.
        value = {"worker_id": self._worker_id, "mark": secrets.token_hex(8)}
        revision = await self._states.create(name, value, ttl_seconds=LEASE_SECONDS)
        if revision is None:
            yield False
            return
        renewal = asyncio.create_task(self._renew(name, value, revision))
        try:
            yield True
        finally:
            renewal.cancel()
            release = asyncio.create_task(self._release(name, value))
            self._releases.add(release)
            release.add_done_callback(self._releases.discard)
            await asyncio.wait({release}, timeout=RELEASE_SECONDS)

    async def _renew(self, name: str, value: dict[str, str], revision: int) -> None:
        """Until others have it."""
        current: int | None = revision
        while current is not None:
            await asyncio.sleep(RENEW_SECONDS)
            try:
                async with asyncio.timeout(RENEW_SECONDS):
                    current = await self._renewed(name, value, current)
            except (LecternError, TimeoutError) as error:
                log.warning("could not renew a claim", cause=type(error).__name__)

    async def _renewed(self, name: str, value: dict[str, str], revision: int) -> int | None:
        """The claim's new revision. One that is not as we know it may still be ours, by a renewal whose
        answer was lost; and one that has lapsed is free."""
        renewed = await self._states.update(name, value, revision, ttl_seconds=LEASE_SECONDS)
        if renewed is not None:
            return renewed
        present = await self._states.get(name)
        if present is None:
            return await self._states.create(name, value, ttl_seconds=LEASE_SECONDS)
        return present.revision if present.value == value else None

    async def _release(self, name: str, value: dict[str, str]) -> None:
        """Only what is ours still: a worker that was stopped for a while has lost its claims to others."""
        try:
            entry = await self._states.get(name)
            if entry is not None and entry.value == value:
                await self._states.delete(name, revision=entry.revision)
        except LecternError as error:
            log.warning("could not release a claim, it will lapse", reason=error.reason)
