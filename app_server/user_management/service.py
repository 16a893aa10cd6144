"""What administrators do with users."""

from app_server.accounts.model import AccessStatus, User
from app_server.clock import Clock
from app_server.user_management.model import UserChange, UserPage, UserQuery, own_account, user_not_found
from app_server.user_management.ports import StorageEraser, UsageLedger, UserStore


class UserManagement:
    def __init__(self, *, store: UserStore, eraser: StorageEraser, ledger: UsageLedger, clock: Clock) -> None:
        self._store = store
        self._eraser = eraser
        self._ledger = ledger
        self._clock = clock

    async def page(self, query: UserQuery) -> UserPage:
        return await self._store.page(query, now_ms=self._clock())

    async def change(self, actor: User, user_id: str, change: UserChange) -> User:
        """Ends the user's sessions. Raises NOT_FOUND, PERMISSION_DENIED and FAILED_PRECONDITION."""
        return await self._store.change(actor, user_id, change, now_ms=self._clock())

    async def remove(self, actor: User, user_id: str) -> None:
        """Storage first, then rows. A failure half-way leaves a suspended user, to be deleted again."""
        if user_id == actor.id:
            raise own_account()
        user = await self._store.find(user_id)
        if user is None:
            raise user_not_found()
        if user.status is not AccessStatus.SUSPENDED:
            # Nobody adds what is being deleted.
            await self.change(actor, user_id, UserChange(status=AccessStatus.SUSPENDED))
        await self._eraser.erase_storage(user_id)
        await self._store.remove(actor, user_id, now_ms=self._clock())
        await self._ledger.forget_user(user_id)
