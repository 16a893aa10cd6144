"""What the end of an account asks of others."""

from typing import Protocol


class AccountEnd(Protocol):
    async def begin_end(self, user_id: str, id_hash: str) -> None:
        """Raises FAILED_PRECONDITION for the last active administrator."""
        ...

    async def remove(self, user_id: str) -> None: ...


class StorageEraser(Protocol):
    async def erase_storage(self, user_id: str) -> None:
        """Safe to repeat."""
        ...


class UsageLedger(Protocol):
    async def forget_user(self, user_id: str) -> None: ...
