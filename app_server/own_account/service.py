"""Leaving: everything that one has stored goes first, then the account."""

import structlog

from app_server.accounts.model import StoredSession
from app_server.accounts.owner_proof import OwnerProof
from app_server.own_account.ports import AccountEnd, StorageEraser, UsageLedger

_log = structlog.get_logger(__name__)


class AccountDeletion:
    def __init__(
        self,
        *,
        store: AccountEnd,
        eraser: StorageEraser,
        ledger: UsageLedger,
        proof: OwnerProof,
    ) -> None:
        self._store = store
        self._eraser = eraser
        self._ledger = ledger
        self._proof = proof

    async def delete(self, session: StoredSession, *, password: str, address: str) -> None:
        """The password, or for who has none a fresh sign-in. Raises FAILED_PRECONDITION for the last active
        administrator. After a failure half-way the account is still there, to be deleted again."""
        user = session.user
        await self._proof.require(session, password=password, address=address)
        await self._store.begin_end(user.id, session.id_hash)
        await self._eraser.erase_storage(user.id)
        await self._store.remove(user.id)
        await self._ledger.forget_user(user.id)
        _log.info("an account was deleted by its owner", user_id=user.id)
