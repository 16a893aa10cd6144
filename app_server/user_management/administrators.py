"""That there is always an administrator left: one lock for every change that could take one away."""

from sqlalchemy import and_, false, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app_server.accounts.model import AccessStatus, Role
from app_server.database.engine import lock_for_transaction
from app_server.database.schema import users
from shared.errors import Code, LecternError

_IN_FORCE = and_(
    users.c.role == Role.ADMIN.value,
    users.c.status == AccessStatus.ACTIVE.value,
    users.c.must_change_password == false(),
)


async def lock_administrators(connection: AsyncConnection) -> None:
    """To the transaction's end, in every process: first of all in it."""
    await lock_for_transaction(connection, "administrators")


async def is_administrator(connection: AsyncConnection, user_id: str) -> bool:
    """With rights in force."""
    found = await connection.execute(select(users.c.id).where(users.c.id == user_id, _IN_FORCE))
    return found.one_or_none() is not None


async def require_other_administrator(connection: AsyncConnection, user_id: str) -> None:
    """Before a user who may be one goes. Raises FAILED_PRECONDITION when nobody else has rights in force."""
    if not await is_administrator(connection, user_id):
        return
    others = await connection.execute(select(users.c.id).where(users.c.id != user_id, _IN_FORCE).limit(1))
    if others.one_or_none() is None:
        raise LecternError(
            Code.FAILED_PRECONDITION,
            "This is the last active administrator. Make somebody else one first.",
            reason="LAST_ADMINISTRATOR",
        )
