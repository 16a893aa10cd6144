"""That it is the owner who asks, before something that a passer-by at an open screen must not do."""

from typing import Final

from app_server.accounts.model import StoredSession
from app_server.accounts.passwords import Passwords
from app_server.accounts.ports import AccountStore
from app_server.accounts.rate_limits import AuthRateLimits
from app_server.clock import Clock
from app_server.http.problems import invalid_fields
from shared.errors import Code, LecternError

# Who has no password shows it by this.
_FRESH_SIGN_IN_MS: Final = 10 * 60 * 1000


class OwnerProof:
    def __init__(
        self, *, accounts: AccountStore, passwords: Passwords, limits: AuthRateLimits, clock: Clock
    ) -> None:
        self._accounts = accounts
        self._passwords = passwords
        self._limits = limits
        self._clock = clock

    async def require(self, session: StoredSession, *, password: str, address: str) -> None:
        """The password; for who has none, a fresh sign-in. address: where the request comes from."""
        user = session.user
        found = await self._accounts.credentials(user.email)
        password_hash = found.password_hash if found else ""
        if not password_hash:
            self._require_fresh(session)
            return
        await self._limits.admit_sign_in(address=address, email=user.email)
        if not await self._passwords.matches(password, password_hash):
            raise invalid_fields({"currentPassword": "This isn't your present password."})
        await self._limits.forget_sign_ins(address=address, email=user.email)

    def _require_fresh(self, session: StoredSession) -> None:
        if self._clock() - session.created_at_ms > _FRESH_SIGN_IN_MS:
            raise LecternError(
                Code.PERMISSION_DENIED,
                "You have no password, so sign out and in again first, and do this within ten minutes.",
                reason="FRESH_SIGN_IN_NEEDED",
            )
