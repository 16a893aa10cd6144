"""Users, as rows, for administrators. One lock keeps two of them from removing each other at once."""

from dataclasses import replace
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, true, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app_server.accounts.model import AccessStatus, User, UserKind
from app_server.accounts.sql_removal import remove_user
from app_server.accounts.sql_store import user_of_row
from app_server.audit.model import audit_note
from app_server.audit.sql_store import write_note
from app_server.compute_limits.arithmetic import utc_day
from app_server.compute_limits.caller import Caller
from app_server.database.engine import Database
from app_server.database.schema import blobs, documents, limit_usage, sessions, users
from app_server.user_management.administrators import is_administrator, lock_administrators
from app_server.user_management.model import (
    PAGE_SIZE,
    ManagedUser,
    UserChange,
    UserPage,
    UserQuery,
    check_change,
    name_of,
    own_account,
    user_not_found,
    verbs_of,
)
from shared.errors import Code, LecternError

_SPEECH: Final = "tts_synthesis"


class SqlUserStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def page(self, query: UserQuery, *, now_ms: int) -> UserPage:
        """Newest first."""
        wanted = _condition(query)
        rows = (
            select(users)
            .where(wanted)
            .order_by(users.c.created_at_ms.desc(), users.c.id.desc())
            .limit(PAGE_SIZE)
            .offset((query.page - 1) * PAGE_SIZE)
        )
        is_pending = users.c.status == AccessStatus.PENDING.value
        async with self._database.read() as connection:
            total = await connection.scalar(select(func.count()).select_from(users).where(wanted))
            pending = await connection.scalar(select(func.count()).select_from(users).where(is_pending))
            found = (await connection.execute(rows)).all()
            facts = await _facts(connection, [row.id for row in found], now_ms=now_ms)
        managed = [ManagedUser(user_of_row(row), row.created_at_ms, **facts[row.id]) for row in found]
        return UserPage(managed, total or 0, pending or 0)

    async def find(self, user_id: str) -> User | None:
        async with self._database.read() as connection:
            return await _find(connection, user_id)

    async def change(self, actor: User, user_id: str, change: UserChange, *, now_ms: int) -> User:
        async with self._database.write() as connection:
            before = await _admitted(connection, actor, user_id)
            check_change(before, change)
            done = verbs_of(before, change)
            if not done:
                return before
            after = replace(before, role=change.role or before.role, status=change.status or before.status)
            values = {"role": after.role.value, "status": after.status.value}
            await connection.execute(update(users).where(users.c.id == user_id).values(values))
            await connection.execute(delete(sessions).where(sessions.c.user_id == user_id))
            for verb, values_of_it in done.items():
                field = "role" if verb == "role" else "status"
                note = audit_note(actor, f"user.{verb}", name_of(before), **{field: values_of_it})
                await write_note(connection, note, now_ms=now_ms)
        return after

    async def remove(self, actor: User, user_id: str, *, now_ms: int) -> None:
        async with self._database.write() as connection:
            before = await _admitted(connection, actor, user_id)
            await remove_user(connection, user_id)
            note = audit_note(actor, "user.delete", name_of(before), kind=before.kind.value)
            await write_note(connection, note, now_ms=now_ms)


async def _admitted(connection: AsyncConnection, actor: User, user_id: str) -> User:
    """The user, once the actor is found to be an administrator still, whatever others just did.

    As nobody changes themselves, the actor remains one: there is always somebody left.
    """
    await lock_administrators(connection)
    if not await is_administrator(connection, actor.id):
        raise LecternError(
            Code.PERMISSION_DENIED, "You are no longer an administrator.", reason="ADMIN_REQUIRED"
        )
    if user_id == actor.id:
        raise own_account()
    user = await _find(connection, user_id)
    if user is None:
        raise user_not_found()
    return user


async def _find(connection: AsyncConnection, user_id: str) -> User | None:
    row = (await connection.execute(select(users).where(users.c.id == user_id))).one_or_none()
    return None if row is None else user_of_row(row)


def _condition(query: UserQuery) -> ColumnElement[bool]:
    conditions: list[ColumnElement[bool]] = [true()]
    if query.text:
        has_text = func.lower(users.c.email).contains(query.text.lower(), autoescape=True)
        by_address = and_(users.c.kind == UserKind.ACCOUNT.value, has_text)
        conditions.append(or_(by_address, users.c.id == query.text))
    if query.kind:
        conditions.append(users.c.kind == query.kind.value)
    if query.status:
        conditions.append(users.c.status == query.status.value)
    return and_(*conditions)


async def _facts(
    connection: AsyncConnection, user_ids: list[str], *, now_ms: int
) -> dict[str, dict[str, Any]]:
    """When each was last seen, what each has stored, and what was spoken for each today."""
    seen = select(sessions.c.user_id, func.max(sessions.c.renewed_at_ms)).group_by(sessions.c.user_id)
    stored = (
        select(documents.c.owner_id, func.count(), func.coalesce(func.sum(blobs.c.size_bytes), 0))
        .join(blobs, blobs.c.sha256 == documents.c.sha256)
        .group_by(documents.c.owner_id)
    )
    facts: dict[str, dict[str, Any]] = {
        user_id: {"last_seen_at_ms": None, "document_count": 0, "stored_bytes": 0, "spoken_characters": 0}
        for user_id in user_ids
    }
    for user_id, seen_at_ms in await connection.execute(seen.where(sessions.c.user_id.in_(user_ids))):
        facts[user_id]["last_seen_at_ms"] = seen_at_ms
    for user_id, count, size in await connection.execute(stored.where(documents.c.owner_id.in_(user_ids))):
        facts[user_id] |= {"document_count": count, "stored_bytes": int(size)}
    spoken = select(limit_usage.c.subject, limit_usage.c.amount).where(
        limit_usage.c.action == _SPEECH,
        limit_usage.c.metric == "characters",
        limit_usage.c.day == utc_day(now_ms),
    )
    owners = {Caller(user_id, is_anonymous=False).subject("user"): user_id for user_id in user_ids}
    for subject, amount in await connection.execute(spoken.where(limit_usage.c.subject.in_(owners))):
        facts[owners[subject]]["spoken_characters"] = amount
    return facts
