"""Coming in, by whatever way: a session of one's own, and what a guest had in this browser comes along."""

from aiohttp import web
from aiohttp_session import new_session

from app_server.accounts.current_user import signed_in_user
from app_server.accounts.model import User
from app_server.accounts.ports import GuestClaims
from app_server.accounts.session_storage import USER_ID


class Entrance:
    def __init__(self, *, guests: GuestClaims) -> None:
        self._guests = guests

    async def enter(self, request: web.Request, user: User) -> None:
        await self.hand_over(request, user)
        # A new identity: an id known from before signing in opens nothing.
        session = await new_session(request)
        session[USER_ID] = user.id

    async def hand_over(self, request: web.Request, user: User) -> None:
        """For an account that has to wait: it keeps what its owner had as a guest, whose session ends."""
        present = await signed_in_user(request)
        if present is not None and present.is_guest and present.id != user.id:
            await self._guests.claim(present, user)
