"""Who makes a request."""

from aiohttp import web
from aiohttp_session import get_session

from app_server.accounts.bearer import bearer_token, user_by_token
from app_server.accounts.model import AccessStatus, StoredSession, User
from app_server.accounts.session_storage import STORED
from shared.errors import Code, LecternError


async def signed_in_user(request: web.Request) -> User | None:
    if bearer_token(request) is not None:
        return user_by_token(request)
    await get_session(request)
    stored: StoredSession | None = request.get(STORED)
    if stored is None or stored.user.status is not AccessStatus.ACTIVE:
        return None
    return stored.user


async def require_user(request: web.Request) -> User:
    """Raises UNAUTHENTICATED."""
    user = await signed_in_user(request)
    if user is None:
        raise LecternError(
            Code.UNAUTHENTICATED, "Your session has ended. Sign in again.", reason="NOT_SIGNED_IN"
        )
    return user
