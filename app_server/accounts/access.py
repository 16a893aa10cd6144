"""Whom an address of the browser API lets in. Checked before its handler runs."""

from enum import Enum, StrEnum

from aiohttp import web

from app_server.accounts.current_user import require_user
from app_server.accounts.model import Role, User
from shared.errors import Code, LecternError


class Access(Enum):
    # Signed in or not.
    ANYBODY = "anybody"
    # Somebody whose library it is: with an account, or a guest.
    GUEST_OR_USER = "guest_or_user"
    # Somebody with an active account.
    USER = "user"
    # An active administrator who has changed a password that somebody else knew.
    ADMIN = "admin"
    # A program or an address with a secret of its own, which the handler checks.
    OWN_SECRET = "own_secret"  # noqa: S105


class TokenScope(StrEnum):
    """What an API token may be good for."""

    DOCUMENTS_READ = "documents:read"
    DOCUMENTS_WRITE = "documents:write"
    PLAYBACK = "playback"
    ACCOUNT = "account"
    ADMIN = "admin"


async def admit(request: web.Request, access: Access) -> None:
    """Raises UNAUTHENTICATED or PERMISSION_DENIED."""
    if access in {Access.ANYBODY, Access.OWN_SECRET}:
        return
    user = await require_user(request)
    if user.is_guest and access is not Access.GUEST_OR_USER:
        raise LecternError(
            Code.PERMISSION_DENIED, "This needs an account. Create one to go on.", reason="ACCOUNT_NEEDED"
        )
    if access is Access.ADMIN:
        _require_admin(user)


def _require_admin(user: User) -> None:
    if user.role is not Role.ADMIN:
        raise LecternError(
            Code.PERMISSION_DENIED, "Only an administrator can do this.", reason="ADMIN_REQUIRED"
        )
    if not user.is_admin:
        raise LecternError(
            Code.PERMISSION_DENIED,
            "Change your password under Settings → Account first: your administrator's rights begin then.",
            reason="PASSWORD_CHANGE_REQUIRED",
        )
