"""How often one may try to get in. Counted in the database, so that several app servers count together."""

import hashlib
from typing import Final

from app_server.accounts.ports import AttemptStore, Window
from app_server.clock import Clock
from app_server.http.problems import RETRY_AFTER
from shared.errors import Code, LecternError

_MINUTE_MS: Final = 60_000
_HOUR_MS: Final = 60 * _MINUTE_MS
_SIGN_IN: Final = (Window(5, _MINUTE_MS), Window(20, _HOUR_MS))
_SIGN_UP: Final = (Window(5, _HOUR_MS),)
_RESET: Final = (Window(5, _HOUR_MS),)
_MESSAGE: Final = (Window(6, _HOUR_MS),)
# Leaving for a provider costs a row and nothing else; a school behind one address may all leave at nine.
_DEPARTURE: Final = (Window(60, _MINUTE_MS),)


class AuthRateLimits:
    def __init__(self, *, store: AttemptStore, clock: Clock, enabled: bool) -> None:
        self._store = store
        self._clock = clock
        self._enabled = enabled

    async def admit_sign_in(self, *, address: str, email: str) -> None:
        """Raises RESOURCE_EXHAUSTED when this address has tried this account too often."""
        await self._admit(_subject("sign-in", address, email), _SIGN_IN)

    async def forget_sign_ins(self, *, address: str, email: str) -> None:
        """Who got in was no attacker: mistypings before it don't count against the next time."""
        if self._enabled:
            await self._store.forget(_subject("sign-in", address, email))

    async def admit_sign_up(self, *, address: str) -> None:
        await self._admit(_subject("sign-up", address), _SIGN_UP)

    async def admit_reset(self, *, address: str) -> None:
        await self._admit(_subject("reset", address), _RESET)

    async def admit_message(self, *, email: str) -> None:
        """To one inbox, whoever asks for it."""
        await self._admit(_subject("message", email), _MESSAGE)

    async def admit_guest(self, *, address: str) -> None:
        """A guest is made as seldom as an account."""
        await self._admit(_subject("guest", address), _SIGN_UP)

    async def admit_departure(self, *, address: str) -> None:
        """To a provider, for signing in there."""
        await self._admit(_subject("departure", address), _DEPARTURE)

    async def _admit(self, subject: str, windows: tuple[Window, ...]) -> None:
        if not self._enabled:
            return
        wait_ms = await self._store.admit(subject, windows, now_ms=self._clock())
        if wait_ms is not None:
            raise too_many_attempts(wait_ms)


def _subject(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def too_many_attempts(wait_ms: int) -> LecternError:
    seconds = max(1, -(-wait_ms // 1000))
    wait = f"{seconds} seconds" if seconds < 120 else f"{-(-seconds // 60)} minutes"
    return LecternError(
        Code.RESOURCE_EXHAUSTED,
        f"Too many attempts. Try again in {wait}.",
        reason="TOO_MANY_ATTEMPTS",
        details={RETRY_AFTER: str(seconds)},
    )
