"""Who is making which piece of speech, across all workers, so that each is made once.

A claim is a short lease in the job-state bucket: its holder renews it, and it vanishes by itself soon
after a holder that died. A holder that was only stopped for a while asks before it does what is paid for.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic

import structlog

from compute_worker.operations.job_states import JobStates
from shared.errors import Code, LecternError

LEASE_SECONDS = 5.0
RENEW_SECONDS = 1.5  # and an answer is not waited for longer
RENEW_AGAIN_SECONDS = 0.3  # after one that failed
SETTLE_SECONDS = 2.0  # after the broker was away, whoever holds a claim renews it first
SURE_SECONDS = LEASE_SECONDS - 1  # since it was last renewed; the broker counts in whole seconds
RELEASE_SECONDS = 0.3  # what was made under the claim waits no longer for a broker that is away

log = structlog.get_logger(__name__)


class ClaimLostError(LecternError):
    """Somebody else has it by now, and does what was to be done."""

    def __init__(self) -> None:
        super().__init__(Code.ABORTED, "Another worker makes this piece of speech.", reason="CLAIM_LOST")


class Claim:
    """One that is ours. Its value's mark tells it from every other, also from a later one of ours."""

    def __init__(self, *, states: JobStates, name: str, worker_id: str) -> None:
        self._states = states
        self.name = name
        self.value = {"worker_id": worker_id, "mark": secrets.token_hex(8)}
        self._revision: int | None = None
        self._renewed_at = 0.0
        self._is_over = False  # a cancellation alone may get lost in the broker's client

    async def take(self) -> bool:
        """Whether it was free."""
        began = monotonic()
        self._know(await self._states.create(self.name, self.value, ttl_seconds=LEASE_SECONDS), began)
        return self._revision is not None

    async def confirm(self) -> None:
        """Before something that must not happen twice. Raises ClaimLostError when the claim is not ours any
        more, which is asked only if we were stopped, or cut off, for so long that it can have lapsed."""
        if self._revision is not None and monotonic() - self._renewed_at >= SURE_SECONDS:
            await self._renew()
        if self._revision is None:
            raise ClaimLostError

    async def keep_renewed(self) -> None:
        """Until others have it."""
        pause = RENEW_SECONDS
        while self._revision is not None and not self._is_over:
            await asyncio.sleep(pause)
            try:
                async with asyncio.timeout(RENEW_SECONDS):
                    await self._renew()
            except (LecternError, TimeoutError) as error:
                log.warning("could not renew a claim", cause=type(error).__name__)
                pause = RENEW_AGAIN_SECONDS
            else:
                pause = RENEW_SECONDS

    async def release(self) -> None:
        """Only what is ours still: a worker that was stopped for a while has lost its claims to others."""
        self._is_over = True
        try:
            entry = await self._states.get(self.name)
            if entry is not None and entry.value == self.value:
                await self._states.delete(self.name, revision=entry.revision)
        except LecternError as error:
            log.warning("could not release a claim, it will lapse", reason=error.reason)

    async def _renew(self) -> None:
        """One that is not as we know it may still be ours, by a renewal whose answer was lost; and one that
        has lapsed is free."""
        if self._revision is None or self._is_over:
            return
        began = monotonic()
        renewed = await self._states.update(self.name, self.value, self._revision, ttl_seconds=LEASE_SECONDS)
        self._know(renewed or await self._found(), began)

    async def _found(self) -> int | None:
        present = await self._states.get(self.name)
        if present is not None:
            return present.revision if present.value == self.value else None
        if self._is_over:
            return None
        return await self._states.create(self.name, self.value, ttl_seconds=LEASE_SECONDS)

    def _know(self, revision: int | None, renewed_at: float) -> None:
        self._revision, self._renewed_at = revision, renewed_at


class Claims:
    def __init__(
        self, *, states: JobStates, worker_id: str, release_seconds: float = RELEASE_SECONDS
    ) -> None:
        """release_seconds: how long whoever held a claim waits until others have been told."""
        self._states = states
        self._worker_id = worker_id
        self._release_seconds = release_seconds
        self._releases: set[asyncio.Task[None]] = set()
        self._settled_at = 0.0

    @asynccontextmanager
    async def claim(self, key: str) -> AsyncIterator[Claim | None]:
        """Yields the claim if it is ours; then it is held until the block ends."""
        claim = Claim(states=self._states, name=f"claim.{key}", worker_id=self._worker_id)
        if not await self._taken(claim):
            yield None
            return
        renewal = asyncio.create_task(claim.keep_renewed())
        try:
            yield claim
        finally:
            renewal.cancel()
            release = asyncio.create_task(claim.release())
            self._releases.add(release)
            release.add_done_callback(self._releases.discard)
            await asyncio.wait({release}, timeout=self._release_seconds)

    async def _taken(self, claim: Claim) -> bool:
        """While the broker was away claims may have lapsed whose holders are at work."""
        if monotonic() < self._settled_at:
            return False
        try:
            return await claim.take()
        except LecternError:
            self._settled_at = monotonic() + SETTLE_SECONDS
            raise
