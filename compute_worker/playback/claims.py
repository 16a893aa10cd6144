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
RENEW_SECONDS = 1.5

log = structlog.get_logger(__name__)


class Claims:
    def __init__(self, *, states: JobStates, worker_id: str) -> None:
        self._states = states
        self._worker_id = worker_id

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
            await asyncio.shield(self._release(name, value))

    async def _renew(self, name: str, value: dict[str, str], revision: int) -> None:
        current: int | None = revision
        while current is not None:
            await asyncio.sleep(RENEW_SECONDS)
            try:
                current = await self._states.update(name, value, current, ttl_seconds=LEASE_SECONDS)
            except LecternError as error:
                log.warning("could not renew a claim", reason=error.reason)

    async def _release(self, name: str, value: dict[str, str]) -> None:
        """Only what is ours still: a worker that was stopped for a while has lost its claims to others."""
        try:
            entry = await self._states.get(name)
            if entry is not None and entry.value == value:
                await self._states.delete(name, revision=entry.revision)
        except LecternError as error:
            log.warning("could not release a claim, it will lapse", reason=error.reason)
