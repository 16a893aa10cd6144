"""API tokens as rows."""

from typing import Any

from sqlalchemy import Row, delete, func, insert, or_, select, update

from app_server.accounts.access import TokenScope
from app_server.accounts.model import User
from app_server.accounts.sql_store import user_of_row
from app_server.api_tokens.model import ApiToken
from app_server.database.engine import Database, lock_for_transaction
from app_server.database.schema import api_tokens, users


class SqlApiTokenStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def add(self, token: ApiToken, *, token_hash: str, at_most: int) -> bool:
        """False, and nothing added, when the user has at_most tokens already."""
        row = {
            "id": token.id,
            "user_id": token.user_id,
            "name": token.name,
            "scopes": [scope.value for scope in token.scopes],
            "token_hash": token_hash,
            "created_at_ms": token.created_at_ms,
            "expires_at_ms": token.expires_at_ms,
        }
        mine = select(func.count()).where(api_tokens.c.user_id == token.user_id)
        async with self._database.write() as connection:
            await lock_for_transaction(connection, f"api-tokens:{token.user_id}")
            if (await connection.execute(mine)).scalar_one() >= at_most:
                return False
            await connection.execute(insert(api_tokens).values(row))
        return True

    async def of_user(self, user_id: str) -> list[ApiToken]:
        """The newest first."""
        wanted = (
            select(api_tokens)
            .where(api_tokens.c.user_id == user_id)
            .order_by(api_tokens.c.created_at_ms.desc(), api_tokens.c.id.desc())
        )
        async with self._database.read() as connection:
            return [_token(row) for row in await connection.execute(wanted)]

    async def find(self, token_hash: str, *, now_ms: int) -> tuple[ApiToken, User] | None:
        """None also for one that has expired."""
        wanted = select(api_tokens).where(
            api_tokens.c.token_hash == token_hash,
            or_(api_tokens.c.expires_at_ms.is_(None), api_tokens.c.expires_at_ms > now_ms),
        )
        async with self._database.read() as connection:
            row = (await connection.execute(wanted)).one_or_none()
            if row is None:
                return None
            holder = await connection.execute(select(users).where(users.c.id == row.user_id))
            return _token(row), user_of_row(holder.one())

    async def note_use(self, token_id: str, *, now_ms: int) -> None:
        async with self._database.write() as connection:
            await connection.execute(
                update(api_tokens).where(api_tokens.c.id == token_id).values(last_used_at_ms=now_ms)
            )

    async def remove(self, user_id: str, token_id: str) -> bool:
        mine = (api_tokens.c.id == token_id) & (api_tokens.c.user_id == user_id)
        async with self._database.write() as connection:
            removed = await connection.execute(delete(api_tokens).where(mine))
        return removed.rowcount > 0

    async def remove_expired(self, *, now_ms: int) -> int:
        """Returns how many there were."""
        expired = delete(api_tokens).where(api_tokens.c.expires_at_ms <= now_ms)
        async with self._database.write() as connection:
            return (await connection.execute(expired)).rowcount


def _token(row: Row[Any]) -> ApiToken:
    known = {scope.value for scope in TokenScope}
    return ApiToken(
        id=row.id,
        user_id=row.user_id,
        name=row.name,
        scopes=tuple(TokenScope(scope) for scope in row.scopes if scope in known),
        created_at_ms=row.created_at_ms,
        expires_at_ms=row.expires_at_ms,
        last_used_at_ms=row.last_used_at_ms,
    )
