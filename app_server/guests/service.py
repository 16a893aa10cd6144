"""Guests: people who listen without an account, and may make one later that takes over what they have."""

from collections.abc import Callable
from typing import Final

import structlog

from app_server.accounts.erasure import AccountErasure
from app_server.accounts.model import AccessStatus, User, UserKind
from app_server.accounts.rate_limits import AuthRateLimits
from app_server.clock import Clock
from app_server.guests.ports import GuestStore
from shared.errors import Code, LecternError

# A guest is stored a moment before their session is.
_AGE_OF_STALE_MS: Final = 3600 * 1000
_log = structlog.get_logger(__name__)


class Guests:
    def __init__(
        self,
        *,
        store: GuestStore,
        limits: AuthRateLimits,
        enabled: bool,
        clock: Clock,
        new_id: Callable[[], str],
    ) -> None:
        """enabled: USE_ANONYMOUS_AUTH_SESSIONS."""
        self._store = store
        self._limits = limits
        self._clock = clock
        self._new_id = new_id
        self.enabled = enabled

    async def welcome(self, *, address: str) -> User:
        """A new guest. Raises PERMISSION_DENIED where guests aren't welcome, and for a limit."""
        if not self.enabled:
            raise LecternError(
                Code.PERMISSION_DENIED,
                "This instance needs an account. Sign in, or create one.",
                reason="GUESTS_DISABLED",
            )
        await self._limits.admit_guest(address=address)
        guest = User(id=self._new_id(), email="", status=AccessStatus.ACTIVE, kind=UserKind.ANONYMOUS)
        await self._store.add(guest, now_ms=self._clock())
        return guest

    async def claim(self, guest: User, user: User) -> None:
        """The guest's documents, with the places in them, are the account's."""
        await self._store.claim(guest.id, user.id)
        _log.info("a guest's documents belong to an account now", guest=guest.id, user=user.id)


class StaleGuests:
    def __init__(self, *, store: GuestStore, erasure: AccountErasure, clock: Clock) -> None:
        self._store = store
        self._erasure = erasure
        self._clock = clock

    async def remove(self) -> int:
        """Those whose session is over, with their documents. Safe in several app servers at once."""
        now_ms = self._clock()
        stale = await self._store.without_session(made_before_ms=now_ms - _AGE_OF_STALE_MS, now_ms=now_ms)
        for guest_id in stale:
            await self._erasure.erase_storage(guest_id)
            await self._store.remove(guest_id)
        if stale:
            _log.info("guests who are gone were removed", guests=len(stale))
        return len(stale)
