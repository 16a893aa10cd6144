"""Making, listing, revoking and believing API tokens."""

from collections.abc import Callable, Collection
from typing import Final

from app_server.accounts.access import TokenScope
from app_server.accounts.bearer import Grant
from app_server.accounts.model import AccessStatus, User
from app_server.api_tokens.model import TOKENS_PER_USER, ApiToken, NewToken, new_token_text, token_hash
from app_server.api_tokens.sql_store import SqlApiTokenStore
from app_server.clock import Clock
from app_server.http.problems import invalid_fields
from shared.errors import Code, LecternError

_DAY_MS: Final = 24 * 3600 * 1000
# A program that asks often doesn't write as often.
_USE_NOTED_MS: Final = 60_000


class ApiTokenService:
    def __init__(self, *, store: SqlApiTokenStore, clock: Clock, new_id: Callable[[], str]) -> None:
        self._store = store
        self._clock = clock
        self._new_id = new_id

    async def create(
        self, user: User, *, name: str, scopes: Collection[TokenScope], expires_in_days: int | None
    ) -> NewToken:
        shown_name = " ".join(name.split())
        if not shown_name:
            raise invalid_fields({"name": "Give the token a name, such as that of the program it is for."})
        if TokenScope.ADMIN in scopes and not user.is_admin:
            raise invalid_fields({"scopes": 'Only an administrator\'s token can have the scope "admin".'})
        now_ms = self._clock()
        token = ApiToken(
            id=self._new_id(),
            user_id=user.id,
            name=shown_name,
            scopes=tuple(scope for scope in TokenScope if scope in scopes),
            created_at_ms=now_ms,
            expires_at_ms=None if expires_in_days is None else now_ms + expires_in_days * _DAY_MS,
        )
        text = new_token_text()
        if not await self._store.add(token, token_hash=token_hash(text), at_most=TOKENS_PER_USER):
            raise LecternError(
                Code.FAILED_PRECONDITION,
                f"An account can have {TOKENS_PER_USER} API tokens. Revoke one that you no longer need.",
                reason="TOKENS_TOO_MANY",
            )
        return NewToken(token, text)

    async def of_user(self, user: User) -> list[ApiToken]:
        return await self._store.of_user(user.id)

    async def revoke(self, user: User, token_id: str) -> None:
        """Raises NOT_FOUND, also for somebody else's."""
        if not await self._store.remove(user.id, token_id):
            raise LecternError(
                Code.NOT_FOUND,
                "There is no such API token. It may have been revoked already.",
                reason="TOKEN_NOT_FOUND",
            )

    async def grant_of(self, token: str) -> Grant | None:
        now_ms = self._clock()
        found = await self._store.find(token_hash(token), now_ms=now_ms)
        if found is None:
            return None
        known, user = found
        if user.status is not AccessStatus.ACTIVE:
            return None
        if known.last_used_at_ms is None or now_ms - known.last_used_at_ms >= _USE_NOTED_MS:
            await self._store.note_use(known.id, now_ms=now_ms)
        return Grant(user=user, scopes=frozenset(known.scopes))
