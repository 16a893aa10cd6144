"""API tokens in requests: `Authorization: Bearer lectern_…`. The cookie of such a request doesn't count, and
it needs no Origin: a page of somebody else's can't send that header here."""

from dataclasses import dataclass
from typing import Final, Protocol

from aiohttp import web

from app_server.accounts.model import User
from shared.errors import Code, LecternError

# Tells our tokens from what a proxy in front may send along, and secret scanners from other text.
TOKEN_PREFIX: Final = "lectern_"  # noqa: S105
_SCHEME: Final = "bearer "


@dataclass(frozen=True)
class Grant:
    user: User
    scopes: frozenset[str]


class GrantReader(Protocol):
    async def grant_of(self, token: str) -> Grant | None:
        """None for a token that is unknown, has expired or was revoked."""
        ...


_READER: Final = web.AppKey("grant_reader", GrantReader)
_USER: Final = web.RequestKey("token_user", User)


def setup_api_tokens(app: web.Application, reader: GrantReader) -> None:
    app[_READER] = reader


def bearer_token(request: web.Request) -> str | None:
    header = request.headers.get("Authorization", "").strip()
    token = header[len(_SCHEME) :].strip()
    is_ours = header.lower().startswith(_SCHEME) and token.startswith(TOKEN_PREFIX)
    return token if is_ours else None


def user_by_token(request: web.Request) -> User | None:
    """Whom admit_token has let in."""
    return request.get(_USER)


async def admit_token(request: web.Request, token: str, scope: str | None) -> None:
    """Raises UNAUTHENTICATED or PERMISSION_DENIED. scope: what the token must be good for, or None where
    none will do."""
    if scope is None:
        raise LecternError(
            Code.PERMISSION_DENIED,
            "No API token is good for this address. Do this in Lectern itself.",
            reason="TOKEN_NOT_ACCEPTED",
        )
    grant = await request.app[_READER].grant_of(token)
    if grant is None:
        raise LecternError(
            Code.UNAUTHENTICATED,
            "This API token isn't valid: it may have expired or been revoked. Make a new one in Settings.",
            reason="TOKEN_INVALID",
        )
    if scope not in grant.scopes:
        raise LecternError(
            Code.PERMISSION_DENIED,
            f'This API token is not good for this: it lacks the scope "{scope}".',
            reason="TOKEN_SCOPE_MISSING",
        )
    request[_USER] = grant.user
