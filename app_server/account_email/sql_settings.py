"""The one row that says how account e-mail is sent."""

from sqlalchemy import insert, select, update

from app_server.account_email.model import ROW_ID, AccountEmail
from app_server.audit.model import AuditNote
from app_server.audit.sql_store import write_note
from app_server.database.engine import Database, lock_for_transaction
from app_server.database.schema import account_email


class SqlEmailSettings:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def read(self) -> AccountEmail | None:
        async with self._database.read() as connection:
            row = (await connection.execute(select(account_email))).one_or_none()
        if row is None:
            return None
        return AccountEmail(
            enabled=row.enabled,
            sender_name=row.sender_name,
            sender_email=row.sender_email,
            reply_to=row.reply_to,
            sealed_api_key=row.api_key,
        )

    async def write(self, settings: AccountEmail, *, note: AuditNote, now_ms: int) -> None:
        row = {
            "enabled": settings.enabled,
            "sender_name": settings.sender_name,
            "sender_email": settings.sender_email,
            "reply_to": settings.reply_to,
            "api_key": settings.sealed_api_key,
            "updated_at_ms": now_ms,
        }
        async with self._database.write() as connection:
            await lock_for_transaction(connection, "account_email")
            changed = await connection.execute(
                update(account_email).where(account_email.c.id == ROW_ID).values(row)
            )
            if changed.rowcount == 0:
                await connection.execute(insert(account_email).values(id=ROW_ID, **row))
            await write_note(connection, note, now_ms=now_ms)
