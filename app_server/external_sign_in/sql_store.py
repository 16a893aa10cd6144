"""Identities from elsewhere, and the ways there and back, as rows."""

from collections.abc import Set as AbstractSet
from typing import Any, Final

from sqlalchemy import delete, insert, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from app_server.accounts.model import User
from app_server.accounts.ports import EmailTakenError
from app_server.accounts.sql_store import user_of_row, user_row
from app_server.database.engine import Database, lock_for_transaction
from app_server.database.schema import external_identities, sign_in_flows, users
from app_server.external_sign_in.model import ExternalIdentity, Flow, LinkedIdentity
from app_server.external_sign_in.ports import AlreadyLinkedError, IdentityTakenError, LastWayInError
from app_server.ids import new_id
from shared.errors import Code, LecternError

_LONGEST_NAME: Final = 200
_LONGEST_EMAIL: Final = 320


class SqlIdentityStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def add_flow(self, state_hash: str, flow: Flow, *, now_ms: int) -> None:
        row = {
            "state_hash": state_hash,
            "provider_id": flow.provider_id,
            "browser_hash": flow.browser_hash,
            "user_id": flow.user_id,
            "next_address": flow.next_address,
            "expires_at_ms": flow.expires_at_ms,
        }
        async with self._database.write() as connection:
            await connection.execute(delete(sign_in_flows).where(sign_in_flows.c.expires_at_ms <= now_ms))
            await connection.execute(insert(sign_in_flows).values(row))

    async def take_flow(self, state_hash: str, *, now_ms: int) -> Flow | None:
        mine = delete(sign_in_flows).where(sign_in_flows.c.state_hash == state_hash)
        async with self._database.write() as connection:
            row = (await connection.execute(mine.returning(sign_in_flows))).one_or_none()
        if row is None or row.expires_at_ms <= now_ms:
            return None
        return Flow(
            provider_id=row.provider_id,
            browser_hash=row.browser_hash,
            user_id=row.user_id,
            next_address=row.next_address,
            expires_at_ms=row.expires_at_ms,
        )

    async def user_of(self, issuer: str, subject: str) -> User | None:
        wanted = (
            select(users)
            .join(external_identities, external_identities.c.user_id == users.c.id)
            .where(external_identities.c.issuer == issuer, external_identities.c.subject == subject)
        )
        async with self._database.read() as connection:
            row = (await connection.execute(wanted)).one_or_none()
        return None if row is None else user_of_row(row)

    async def add_account(self, user: User, identity: ExternalIdentity, *, now_ms: int) -> None:
        async with self._database.write() as connection:
            try:
                async with connection.begin_nested():
                    await connection.execute(insert(users).values(user_row(user, created_at_ms=now_ms)))
            except IntegrityError as error:
                raise EmailTakenError from error
            await _insert(connection, user.id, identity, now_ms)

    async def link(self, user_id: str, identity: ExternalIdentity, *, now_ms: int) -> None:
        same_person = (external_identities.c.issuer == identity.issuer) & (
            external_identities.c.subject == identity.subject
        )
        same_place = (external_identities.c.issuer == identity.issuer) & (
            external_identities.c.user_id == user_id
        )
        async with self._database.write() as connection:
            await lock_for_transaction(connection, f"ways-in:{user_id}")
            wanted = select(external_identities).where(or_(same_person, same_place))
            found = (await connection.execute(wanted)).all()
            if any(row.subject == identity.subject and row.user_id != user_id for row in found):
                raise IdentityTakenError
            if any(row.subject != identity.subject for row in found):
                raise AlreadyLinkedError
            if not found:
                await _insert(connection, user_id, identity, now_ms)

    async def of_user(self, user_id: str) -> list[LinkedIdentity]:
        wanted = (
            select(external_identities)
            .where(external_identities.c.user_id == user_id)
            .order_by(external_identities.c.linked_at_ms, external_identities.c.id)
        )
        async with self._database.read() as connection:
            rows = await connection.execute(wanted)
            return [LinkedIdentity(row.id, row.issuer, row.email, row.name, row.linked_at_ms) for row in rows]

    async def has_password(self, user_id: str) -> bool:
        async with self._database.read() as connection:
            return await _has_password(connection, user_id)

    async def unlink(self, user_id: str, identity_id: str, *, usable_issuers: AbstractSet[str]) -> None:
        mine = external_identities.c.user_id == user_id
        async with self._database.write() as connection:
            await lock_for_transaction(connection, f"ways-in:{user_id}")
            rows = await connection.execute(
                select(external_identities.c.id, external_identities.c.issuer).where(mine)
            )
            issuers: dict[str, str] = {row.id: row.issuer for row in rows}
            if issuers.pop(identity_id, None) is None:
                raise LecternError(
                    Code.NOT_FOUND, "Your account has no such sign-in.", reason="IDENTITY_NOT_FOUND"
                )
            if not usable_issuers & set(issuers.values()) and not await _has_password(connection, user_id):
                raise LastWayInError
            await connection.execute(
                delete(external_identities).where(external_identities.c.id == identity_id)
            )


async def _has_password(connection: AsyncConnection, user_id: str) -> bool:
    return bool(await connection.scalar(select(users.c.password_hash).where(users.c.id == user_id)))


async def _insert(connection: AsyncConnection, user_id: str, identity: ExternalIdentity, now_ms: int) -> None:
    row: dict[str, Any] = {
        "id": new_id(),
        "user_id": user_id,
        "issuer": identity.issuer,
        "subject": identity.subject,
        "email": _stored(identity.email, _LONGEST_EMAIL),
        "name": _stored(identity.name, _LONGEST_NAME),
        "linked_at_ms": now_ms,
    }
    try:
        async with connection.begin_nested():
            await connection.execute(insert(external_identities).values(row))
    except IntegrityError as error:
        raise IdentityTakenError from error


def _stored(text: str, most: int) -> str:
    """PostgreSQL stores no NUL."""
    return text.replace("\0", "")[:most]
