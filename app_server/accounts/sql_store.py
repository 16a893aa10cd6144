"""Accounts, their sessions and attempts to get in, as rows."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from app_server.accounts.model import AccessStatus, Credentials, Role, SeenFrom, StoredSession, User, UserKind
from app_server.accounts.ports import EmailTakenError, Window
from app_server.database.engine import Database, lock_for_transaction
from app_server.database.schema import auth_attempts, email_links, sessions, users
from app_server.ids import new_id

_USER_AGENT_CHARACTERS: Final = 400


class SqlAccountStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def add(self, user: User, *, password_hash: str, created_at_ms: int) -> None:
        row = user_row(user, password_hash=password_hash, created_at_ms=created_at_ms)
        try:
            async with self._database.write() as connection:
                await connection.execute(insert(users).values(row))
        except IntegrityError as error:
            raise EmailTakenError from error

    async def ensure(self, user: User, *, created_at_ms: int) -> None:
        """Adds somebody who may be there already."""
        try:
            async with self._database.write() as connection:
                await connection.execute(insert(users).values(user_row(user, created_at_ms=created_at_ms)))
        except IntegrityError:
            return

    async def credentials(self, email: str) -> Credentials | None:
        async with self._database.read() as connection:
            mine = select(users).where(users.c.email == email, users.c.kind == UserKind.ACCOUNT.value)
            row = (await connection.execute(mine)).one_or_none()
        if row is None:
            return None
        return Credentials(user=user_of_row(row), password_hash=row.password_hash)

    async def replace_password_hash(self, user_id: str, password_hash: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(
                update(users).where(users.c.id == user_id).values(password_hash=password_hash)
            )

    async def change_password(self, user_id: str, password_hash: str) -> None:
        """The user's own new password. Ends all their sessions and the links in messages."""
        values = {"password_hash": password_hash, "must_change_password": False}
        async with self._database.write() as connection:
            await connection.execute(update(users).where(users.c.id == user_id).values(values))
            await connection.execute(delete(email_links).where(email_links.c.user_id == user_id))
            await connection.execute(delete(sessions).where(sessions.c.user_id == user_id))


class SqlSessionStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def add(
        self, id_hash: str, *, user_id: str, seen_from: SeenFrom, now_ms: int, expires_at_ms: int
    ) -> None:
        row = {
            "id_hash": id_hash,
            "user_id": user_id,
            "created_at_ms": now_ms,
            "renewed_at_ms": now_ms,
            "expires_at_ms": expires_at_ms,
            **_seen_from_row(seen_from),
        }
        async with self._database.write() as connection:
            await connection.execute(insert(sessions).values(row))

    async def find(self, id_hash: str, *, now_ms: int) -> StoredSession | None:
        wanted = (
            select(
                users,
                sessions.c.created_at_ms.label("begun_at_ms"),
                sessions.c.renewed_at_ms,
                sessions.c.expires_at_ms,
            )
            .join(users, users.c.id == sessions.c.user_id)
            .where(sessions.c.id_hash == id_hash, sessions.c.expires_at_ms > now_ms)
        )
        async with self._database.read() as connection:
            row = (await connection.execute(wanted)).one_or_none()
        if row is None:
            return None
        return StoredSession(
            id_hash=id_hash,
            user=user_of_row(row),
            created_at_ms=row.begun_at_ms,
            renewed_at_ms=row.renewed_at_ms,
            expires_at_ms=row.expires_at_ms,
        )

    async def renew(self, id_hash: str, *, seen_from: SeenFrom, now_ms: int, expires_at_ms: int) -> None:
        values = {"renewed_at_ms": now_ms, "expires_at_ms": expires_at_ms, **_seen_from_row(seen_from)}
        async with self._database.write() as connection:
            await connection.execute(update(sessions).where(sessions.c.id_hash == id_hash).values(values))

    async def remove(self, id_hash: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(sessions).where(sessions.c.id_hash == id_hash))

    async def remove_expired(self, *, now_ms: int) -> int:
        """Returns how many there were."""
        expired = delete(sessions).where(sessions.c.expires_at_ms <= now_ms)
        async with self._database.write() as connection:
            return (await connection.execute(expired)).rowcount


class SqlAttemptStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def admit(self, subject_hash: str, windows: Sequence[Window], *, now_ms: int) -> int | None:
        longest_ms = max(window.period_ms for window in windows)
        mine = auth_attempts.c.subject_hash == subject_hash
        async with self._database.write() as connection:
            await lock_for_transaction(connection, f"auth-attempts:{subject_hash}")
            await connection.execute(
                delete(auth_attempts).where(auth_attempts.c.attempted_at_ms <= now_ms - longest_ms, mine)
            )
            at_ms = auth_attempts.c.attempted_at_ms
            attempts = list(await connection.scalars(select(at_ms).where(mine).order_by(at_ms)))
            wait_ms = max(_wait_ms(attempts, window, now_ms) for window in windows)
            if wait_ms > 0:
                return wait_ms
            row = {"id": new_id(), "subject_hash": subject_hash, "attempted_at_ms": now_ms}
            await connection.execute(insert(auth_attempts).values(row))
        return None

    async def forget(self, subject_hash: str) -> None:
        mine = auth_attempts.c.subject_hash == subject_hash
        async with self._database.write() as connection:
            await connection.execute(delete(auth_attempts).where(mine))

    async def remove_older(self, *, than_ms: int) -> int:
        """Returns how many there were."""
        old = delete(auth_attempts).where(auth_attempts.c.attempted_at_ms < than_ms)
        async with self._database.write() as connection:
            return (await connection.execute(old)).rowcount


def user_row(user: User, *, created_at_ms: int, password_hash: str = "") -> dict[str, Any]:
    return {
        "id": user.id,
        # The column wants one of everybody; this one is no address (RFC 2606).
        "email": user.email or f"{user.id}@{user.kind.value}.invalid",
        "password_hash": password_hash,
        "status": user.status.value,
        "role": user.role.value,
        "must_change_password": user.must_change_password,
        "created_at_ms": created_at_ms,
        "kind": user.kind.value,
        "email_verified": user.email_verified,
    }


def user_of_row(row: Row[Any]) -> User:
    """row holds all columns of users."""
    kind = UserKind(row.kind)
    return User(
        id=row.id,
        email=row.email if kind is UserKind.ACCOUNT else "",
        status=AccessStatus(row.status),
        role=Role(row.role),
        must_change_password=row.must_change_password,
        kind=kind,
        email_verified=row.email_verified,
    )


def _seen_from_row(seen_from: SeenFrom) -> dict[str, str]:
    # PostgreSQL stores no NUL in text.
    user_agent = seen_from.user_agent.replace("\0", "")[:_USER_AGENT_CHARACTERS]
    return {"user_agent": user_agent, "address": seen_from.address}


def _wait_ms(attempts: Sequence[int], window: Window, now_ms: int) -> int:
    """attempts oldest first. 0 when one more fits into the window."""
    recent = [at_ms for at_ms in attempts if at_ms > now_ms - window.period_ms]
    if len(recent) < window.limit:
        return 0
    return recent[-window.limit] + window.period_ms - now_ms
