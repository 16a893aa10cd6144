"""What guests ask of their database."""

from typing import Protocol

from app_server.accounts.model import User


class GuestStore(Protocol):
    async def add(self, guest: User, *, now_ms: int) -> None: ...

    async def claim(self, guest_id: str, user_id: str) -> None:
        """All that the guest had is the user's, and the guest is gone; all of it or nothing."""
        ...

    async def without_session(self, *, made_before_ms: int, now_ms: int) -> list[str]:
        """Guests whom nobody can come back as."""
        ...

    async def remove(self, guest_id: str) -> None: ...
