"""Admissions, leases of active work, and usage, as rows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from app_server.compute_limits.arithmetic import (
    fits,
    lease_frees_at_ms,
    next_utc_day_ms,
    utc_day,
    window_opens_at_ms,
)
from app_server.compute_limits.ports import Admission, Charge, Standing
from app_server.compute_limits.refusals import Refusal, latest
from app_server.compute_limits.rules import ActionName, Metric, Rules, UsageRule, WindowRule
from app_server.database.engine import Database, lock_for_transaction
from app_server.database.schema import limit_admissions, limit_charges, limit_leases, limit_usage
from app_server.ids import new_id

_CHARACTERS: Final[Metric] = "characters"
# By subject, action and metric.
_Counts = Mapping[tuple[str, str, str], int]


class _RefusedError(Exception):
    """Takes back what the transaction has written so far."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__()
        self.refusal = refusal


class SqlLimitLedger:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def admit(self, admission: Admission, rules: Rules, *, now_ms: int) -> Refusal | None:
        try:
            async with self._database.write() as connection:
                await lock_for_transaction(connection, f"limits:{admission.action}")
                if not (admission.counts_once and await _is_known(connection, admission)):
                    await _start(connection, admission, rules, now_ms)
                await _activate(connection, admission, rules, now_ms)
        except _RefusedError as refused:
            return refused.refusal
        return None

    async def hold(self, admission: Admission, rules: Rules, *, now_ms: int) -> Refusal | None:
        if rules.lease_ms is None:
            return None
        mine = (limit_leases.c.action == admission.action) & (limit_leases.c.work == admission.work)
        going_on = update(limit_leases).where(mine, limit_leases.c.expires_at_ms > now_ms)
        try:
            async with self._database.write() as connection:
                renewed = await connection.execute(going_on.values(expires_at_ms=now_ms + rules.lease_ms))
                if not renewed.rowcount:
                    await lock_for_transaction(connection, f"limits:{admission.action}")
                    await _activate(connection, admission, rules, now_ms)
        except _RefusedError as refused:
            return refused.refusal
        return None

    async def release(self, action: ActionName, work: str) -> None:
        mine = (limit_leases.c.action == action) & (limit_leases.c.work == work)
        async with self._database.write() as connection:
            await connection.execute(delete(limit_leases).where(mine))

    async def charge(self, charge: Charge, rules: Sequence[UsageRule], *, now_ms: int) -> Refusal | None:
        day = utc_day(now_ms)
        row = {
            "work": charge.work,
            "day": day,
            "attempt_id": charge.attempt_id,
            "subjects": list(charge.caller.subjects),
            "actions": list(charge.actions),
            "characters": charge.characters,
        }
        try:
            async with self._database.write() as connection:
                new = await connection.execute(
                    _inserting(connection)(limit_charges).values(row).on_conflict_do_nothing()
                )
                if not new.rowcount:
                    same = (limit_charges.c.work == charge.work) & (limit_charges.c.day == day)
                    await connection.execute(
                        update(limit_charges).where(same).values(attempt_id=charge.attempt_id)
                    )
                    return None
                added: _Counts = {
                    (subject, action, _CHARACTERS): charge.characters
                    for subject in charge.caller.subjects
                    for action in charge.actions
                }
                await _use(connection, added, rules, now_ms)
        except _RefusedError as refused:
            return refused.refusal
        return None

    async def refund(self, work: str, attempt_id: str) -> None:
        mine = (limit_charges.c.work == work) & (limit_charges.c.attempt_id == attempt_id)
        async with self._database.write() as connection:
            charged = (await connection.execute(select(limit_charges).where(mine).with_for_update())).all()
            for row in charged:
                used = (
                    limit_usage.c.subject.in_(row.subjects),
                    limit_usage.c.action.in_(row.actions),
                    limit_usage.c.metric == _CHARACTERS,
                    limit_usage.c.day == row.day,
                )
                less = limit_usage.c.amount - row.characters
                await connection.execute(update(limit_usage).where(*used).values(amount=less))
            await connection.execute(delete(limit_charges).where(mine))

    async def standings(self, rules: Mapping[ActionName, Rules], *, now_ms: int) -> list[Standing]:
        found: list[Standing] = []
        async with self._database.read() as connection:
            for action, concerning in rules.items():
                for window in concerning.windows:
                    admissions = await _admissions(connection, action, window, now_ms)
                    ends = admissions[0] + window.period_ms if admissions else None
                    found.append(Standing(action, window, len(admissions), ends))
                subjects = {rule.subject for rule in concerning.usage}
                counts = await _counts(connection, subjects, utc_day(now_ms)) if subjects else {}
                for rule in concerning.usage:
                    used = counts.get((rule.subject, rule.action, rule.metric), 0)
                    found.append(Standing(action, rule, used, next_utc_day_ms(now_ms) if used else None))
        return found

    async def forget(self, subject: str) -> None:
        async with self._database.write() as connection:
            for table in (limit_admissions, limit_leases, limit_usage):
                await connection.execute(delete(table).where(table.c.subject == subject))

    async def remove_older(self, *, than_ms: int, now_ms: int) -> int:
        day = utc_day(than_ms)
        old = (
            delete(limit_admissions).where(limit_admissions.c.admitted_at_ms < than_ms),
            delete(limit_usage).where(limit_usage.c.day < day),
            delete(limit_charges).where(limit_charges.c.day < day),
            delete(limit_leases).where(limit_leases.c.expires_at_ms <= now_ms),
        )
        async with self._database.write() as connection:
            return sum([(await connection.execute(rows)).rowcount for rows in old])


async def _is_known(connection: AsyncConnection, admission: Admission) -> bool:
    columns = limit_admissions.c
    known = select(columns.id).where(
        columns.action == admission.action,
        columns.subject == admission.caller.subject("user"),
        columns.work == admission.work,
    )
    return (await connection.execute(known.limit(1))).first() is not None


async def _start(connection: AsyncConnection, admission: Admission, rules: Rules, now_ms: int) -> None:
    refusals = []
    for window in rules.windows:
        admissions = await _admissions(connection, admission.action, window, now_ms)
        opens_at_ms = window_opens_at_ms(
            admissions, limit=window.limit, period_ms=window.period_ms, now_ms=now_ms
        )
        if opens_at_ms is not None:
            refusals.append(Refusal(admission.action, window, opens_at_ms))
    _raise_any(refusals)
    counted = {rule.subject for rule in rules.windows} | {admission.caller.subject("user")}
    row = {"action": admission.action, "work": admission.work, "admitted_at_ms": now_ms}
    rows = [{"id": new_id(), "subject": subject, **row} for subject in counted]
    await connection.execute(insert(limit_admissions).values(rows))
    amounts: _Counts = {
        (subject, admission.action, metric): amount
        for subject in admission.caller.subjects
        for metric, amount in admission.amounts.items()
    }
    if amounts:
        await _use(connection, amounts, rules.usage, now_ms)


async def _activate(connection: AsyncConnection, admission: Admission, rules: Rules, now_ms: int) -> None:
    """Within the action's lock: nobody else takes the room meanwhile."""
    if rules.lease_ms is None:
        return
    columns = limit_leases.c
    others = select(columns.subject, columns.expires_at_ms).where(
        columns.action == admission.action, columns.work != admission.work
    )
    leases = (await connection.execute(others)).all()
    refusals = []
    for rule in rules.active:
        expiries = [row.expires_at_ms for row in leases if rule.subject in {None, row.subject}]
        frees_at_ms = lease_frees_at_ms(expiries, limit=rule.limit, now_ms=now_ms)
        if frees_at_ms is not None:
            refusals.append(Refusal(admission.action, rule, frees_at_ms))
    _raise_any(refusals)
    mine = (columns.action == admission.action) & (columns.work == admission.work)
    await connection.execute(delete(limit_leases).where(mine))
    row = {
        "action": admission.action,
        "work": admission.work,
        "subject": admission.caller.subject("user"),
        "expires_at_ms": now_ms + rules.lease_ms,
    }
    await connection.execute(insert(limit_leases).values(row))


async def _use(connection: AsyncConnection, added: _Counts, rules: Iterable[UsageRule], now_ms: int) -> None:
    """Adds first: the rows are ours then, and what others add meanwhile is in the sums."""
    day = utc_day(now_ms)
    rows = [
        {"subject": subject, "action": action, "metric": metric, "day": day, "amount": amount}
        for (subject, action, metric), amount in sorted(added.items())
    ]
    adding = _inserting(connection)(limit_usage).values(rows)
    sums = adding.on_conflict_do_update(
        index_elements=["subject", "action", "metric", "day"],
        set_={"amount": limit_usage.c.amount + adding.excluded.amount},
    ).returning(limit_usage.c.subject, limit_usage.c.action, limit_usage.c.metric, limit_usage.c.amount)
    totals: _Counts = {tuple(row[:3]): row.amount for row in await connection.execute(sums)}
    refusals = []
    for rule in rules:
        key = (rule.subject, rule.action, rule.metric)
        amount = added.get(key, 0)
        used = totals.get(key, 0) - amount
        if amount and not fits(used=used, amount=amount, limit=rule.limit, boundary=rule.boundary):
            refusals.append(Refusal(rule.action, rule, next_utc_day_ms(now_ms)))
    _raise_any(refusals)


async def _admissions(
    connection: AsyncConnection, action: ActionName, window: WindowRule, now_ms: int
) -> list[int]:
    columns = limit_admissions.c
    recent = select(columns.admitted_at_ms).where(
        columns.action == action,
        columns.subject == window.subject,
        columns.admitted_at_ms > now_ms - window.period_ms,
    )
    return list(await connection.scalars(recent.order_by(columns.admitted_at_ms)))


async def _counts(connection: AsyncConnection, subjects: Iterable[str], day: str) -> _Counts:
    columns = limit_usage.c
    wanted = select(limit_usage).where(columns.day == day, columns.subject.in_(list(subjects)))
    return {(row.subject, row.action, row.metric): row.amount for row in await connection.execute(wanted)}


def _raise_any(refusals: list[Refusal]) -> None:
    longest = latest(refusals)
    if longest is not None:
        raise _RefusedError(longest)


def _inserting(connection: AsyncConnection) -> Any:
    """insert() with ON CONFLICT, which both databases have and SQLAlchemy keeps with each."""
    return postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
