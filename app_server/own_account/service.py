"""Leaving: everything that one has stored goes first, then the account."""

import structlog

from app_server.accounts.model import StoredSession
from app_server.accounts.passwords import Passwords
from app_server.accounts.ports import AccountStore
from app_server.accounts.rate_limits import AuthRateLimits
from app_server.clock import Clock
from app_server.http.problems import invalid_fields
from app_server.own_account.model import FRESH_SIGN_IN_MS
from app_server.own_account.ports import AccountEnd, StorageEraser, UsageLedger
from shared.errors import Code, LecternError

_log = structlog.get_logger(__name__)


class AccountDeletion:
    def __init__(
        self,
        *,
        store: AccountEnd,
        eraser: StorageEraser,
        ledger: UsageLedger,
        accounts: AccountStore,
        passwords: Passwords,
        limits: AuthRateLimits,
        clock: Clock,
    ) -> None:
        self._store = store
        self._eraser = eraser
        self._ledger = ledger
        self._accounts = accounts
        self._passwords = passwords
        self._limits = limits
        self._clock = clock

    async def delete(self, session: StoredSession, *, password: str, address: str) -> None:
        """The password, or for who has none a fresh sign-in. Raises FAILED_PRECONDITION for the last active
        administrator. After a failure half-way the account is still there, to be deleted again."""
        user = session.user
        await self._require_proof(session, password, address)
        await self._store.begin_end(user.id, session.id_hash)
        await self._eraser.erase_storage(user.id)
        await self._store.remove(user.id)
        await self._ledger.forget_user(user.id)
        _log.info("an account was deleted by its owner", user_id=user.id)

    async def _require_proof(self, session: StoredSession, password: str, address: str) -> None:
        user = session.user
        found = await self._accounts.credentials(user.email)
        password_hash = found.password_hash if found else ""
        if not password_hash:
            if self._clock() - session.created_at_ms > FRESH_SIGN_IN_MS:
                raise LecternError(
                    Code.PERMISSION_DENIED,
                    "Sign out and in again, and delete the account within ten minutes after that.",
                    reason="FRESH_SIGN_IN_NEEDED",
                )
            return
        await self._limits.admit_sign_in(address=address, email=user.email)
        if not await self._passwords.matches(password, password_hash):
            raise invalid_fields({"currentPassword": "This isn't your password."})
