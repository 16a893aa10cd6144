"""The links in messages, by the hash of what is in them."""

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from app_server.account_email.model import EmailLink, LinkPurpose
from app_server.accounts.model import User, UserKind
from app_server.accounts.ports import EmailTakenError
from app_server.accounts.sql_store import user_of_row
from app_server.database.engine import Database
from app_server.database.schema import email_links, sessions, users


class SqlEmailLinks:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def add(self, token_hash: str, link: EmailLink) -> None:
        row = {
            "token_hash": token_hash,
            "user_id": link.user_id,
            "purpose": link.purpose.value,
            "email": link.email,
            "expires_at_ms": link.expires_at_ms,
        }
        async with self._database.write() as connection:
            await connection.execute(insert(email_links).values(row))

    async def find(self, token_hash: str, *, now_ms: int) -> EmailLink | None:
        """Leaves it to be used."""
        wanted = select(email_links).where(
            email_links.c.token_hash == token_hash, email_links.c.expires_at_ms > now_ms
        )
        async with self._database.read() as connection:
            row = (await connection.execute(wanted)).one_or_none()
        if row is None:
            return None
        return EmailLink(row.user_id, LinkPurpose(row.purpose), row.email, row.expires_at_ms)

    async def user(self, user_id: str) -> User | None:
        async with self._database.read() as connection:
            row = (await connection.execute(select(users).where(users.c.id == user_id))).one_or_none()
        return user_of_row(row) if row else None

    async def verify(self, token_hash: str, link: EmailLink) -> bool:
        """Uses the link up. False when that was done before, or the account's address is another by now."""
        mine = (users.c.id == link.user_id, users.c.email == link.email)
        async with self._database.write() as connection:
            used = await connection.execute(delete(email_links).where(email_links.c.token_hash == token_hash))
            if used.rowcount == 0:
                return False
            done = await connection.execute(update(users).where(*mine).values(email_verified=True))
            return done.rowcount == 1

    async def change_address(self, token_hash: str, link: EmailLink) -> bool:
        """Uses up the link and all others of the account. Raises EmailTakenError, which changes nothing."""
        values = {"email": link.email, "email_verified": True}
        try:
            async with self._database.write() as connection:
                used = await connection.execute(
                    delete(email_links).where(email_links.c.token_hash == token_hash)
                )
                if used.rowcount == 0:
                    return False
                await connection.execute(update(users).where(users.c.id == link.user_id).values(values))
                await connection.execute(delete(email_links).where(email_links.c.user_id == link.user_id))
        except IntegrityError as error:
            raise EmailTakenError from error
        return True

    async def set_address(self, user_id: str, email: str) -> None:
        """Where no e-mail is sent, nobody can confirm it. Raises EmailTakenError."""
        values = {"email": email, "email_verified": False}
        try:
            async with self._database.write() as connection:
                await connection.execute(update(users).where(users.c.id == user_id).values(values))
                await connection.execute(delete(email_links).where(email_links.c.user_id == user_id))
        except IntegrityError as error:
            raise EmailTakenError from error

    async def reset_password(self, token_hash: str, link: EmailLink, *, password_hash: str) -> bool:
        """Uses the link up, and all others of the account; ends all its sessions. Who reads the inbox has
        shown that the address is theirs."""
        mine = (
            users.c.id == link.user_id,
            users.c.email == link.email,
            users.c.kind == UserKind.ACCOUNT.value,
        )
        values = {"password_hash": password_hash, "must_change_password": False, "email_verified": True}
        async with self._database.write() as connection:
            used = await connection.execute(delete(email_links).where(email_links.c.token_hash == token_hash))
            if used.rowcount == 0:
                return False
            done = await connection.execute(update(users).where(*mine).values(values))
            await connection.execute(delete(email_links).where(email_links.c.user_id == link.user_id))
            await connection.execute(delete(sessions).where(sessions.c.user_id == link.user_id))
            return done.rowcount == 1

    async def forget(self, user_id: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(email_links).where(email_links.c.user_id == user_id))

    async def remove_expired(self, *, now_ms: int) -> int:
        """Returns how many."""
        old = email_links.c.expires_at_ms <= now_ms
        async with self._database.write() as connection:
            return (await connection.execute(delete(email_links).where(old))).rowcount
