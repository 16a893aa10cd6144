"""What the management of users asks of others."""

from typing import Protocol

from app_server.accounts.model import User
from app_server.user_management.model import UserChange, UserPage, UserQuery


class UserStore(Protocol):
    """Changes are made by an administrator, who must still be one at that moment, and never to themselves."""

    async def page(self, query: UserQuery, *, now_ms: int) -> UserPage: ...

    async def find(self, user_id: str) -> User | None: ...

    async def change(self, actor: User, user_id: str, change: UserChange, *, now_ms: int) -> User:
        """Ends the user's sessions. Raises NOT_FOUND, PERMISSION_DENIED and FAILED_PRECONDITION."""
        ...

    async def remove(self, actor: User, user_id: str, *, now_ms: int) -> None:
        """The row and all that hangs on it. Raises like change."""
        ...


class StorageEraser(Protocol):
    async def erase_storage(self, user_id: str) -> None:
        """Every stored object that only this user owns."""
        ...


class UsageLedger(Protocol):
    async def forget_user(self, user_id: str) -> None: ...
