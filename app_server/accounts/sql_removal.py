"""The end of an account, as rows: the same whether its owner or an administrator ends it."""

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app_server.database.schema import email_outbox, users


async def remove_user(connection: AsyncConnection, user_id: str) -> None:
    """With what was sent to them: the queue names its recipients."""
    inbox = select(users.c.email).where(users.c.id == user_id).scalar_subquery()
    await connection.execute(delete(email_outbox).where(email_outbox.c.recipient == inbox))
    await connection.execute(delete(users).where(users.c.id == user_id))
