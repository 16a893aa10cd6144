"""The ledger on both databases. Two of them over one database are two app servers."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.engine import URL

from app_server.compute_limits.caller import Caller
from app_server.compute_limits.defaults import default_policies
from app_server.compute_limits.model import ComputeLimitPolicies
from app_server.compute_limits.ports import Admission, Charge
from app_server.compute_limits.rules import ACTION_NAMES, Amounts, Rules, rules_for
from app_server.compute_limits.sql_ledger import SqlLimitLedger
from app_server.database.engine import Database, open_database
from app_server.database.schema import limit_admissions, limit_charges, limit_leases, limit_usage

NOON_MS = 1_800_014_400_000  # 2027-01-15T12:00:00Z
ADA = Caller("ada", is_anonymous=False, address="home")
GUEST = Caller("guest", is_anonymous=True, device="phone", address="home")


def policies(**actions: Any) -> ComputeLimitPolicies:
    document = default_policies().model_dump(mode="json", by_alias=True)
    for name, change in actions.items():
        document["actions"][name] |= {"enabled": True, **change}
    return ComputeLimitPolicies.model_validate_json(json.dumps(document))


def usage(
    scope: str, limit: int, *, metric: str = "characters", boundary: str = "soft_unit"
) -> dict[str, Any]:
    return {
        "scope": scope,
        "audience": "all",
        "metric": metric,
        "window": "utc_day",
        "limit": limit,
        "boundary": boundary,
    }


def rules(action: Any, caller: Caller, **change: Any) -> Rules:
    found = rules_for(policies(**{action: change}), action, caller)
    assert found is not None
    return found


def charge(work: str, attempt: str = "1", caller: Caller = ADA, characters: int = 400) -> Charge:
    return Charge(work, attempt, caller, ("tts_synthesis",), characters)


@pytest.fixture
def ledger(database: Database) -> SqlLimitLedger:
    return SqlLimitLedger(database=database)


@pytest.fixture
async def other(database: Database, database_url: URL) -> AsyncIterator[SqlLimitLedger]:
    """Another app server's; on SQLite at least another pool of connections to the file."""
    async with open_database(database_url) as another:
        yield SqlLimitLedger(database=another)


async def used(ledger: SqlLimitLedger, caller: Caller, *rule: dict[str, Any]) -> list[int]:
    concerning = rules("tts_synthesis", caller, usage=list(rule))
    return [one.used for one in await ledger.standings({"tts_synthesis": concerning}, now_ms=NOON_MS)]


async def test_a_window_admits_as_many_as_it_says_however_many_servers_ask(
    ledger: SqlLimitLedger, other: SqlLimitLedger
) -> None:
    windows = {"windows": [{"scope": "user", "windowSeconds": 60, "limit": 5}], "active": []}
    rule = rules("tts_playback", ADA, admission=windows)
    asked = [
        server.admit(Admission("tts_playback", ADA, f"{number}"), rule, now_ms=NOON_MS)
        for number in range(8)
        for server in (ledger, other)
    ]
    refusals = [refusal for refusal in await asyncio.gather(*asked) if refusal]
    assert len(refusals) == 11
    assert {refusal.resets_at_ms for refusal in refusals} == {NOON_MS + 60_000}
    assert await other.admit(Admission("tts_playback", ADA, "late"), rule, now_ms=NOON_MS + 60_000) is None


async def test_a_refusal_counts_nothing(ledger: SqlLimitLedger, database: Database) -> None:
    admission = {
        "windows": [{"scope": "user", "windowSeconds": 60, "limit": 5}],
        "active": [{"scope": "site", "limit": 1, "leaseSeconds": 60}],
    }
    rule = rules("pdf_layout", ADA, admission=admission, usage=[usage("user", 9, metric="files")])
    amounts: Amounts = {"files": 1}
    assert await ledger.admit(Admission("pdf_layout", ADA, "a", amounts), rule, now_ms=NOON_MS) is None
    refusal = await ledger.admit(Admission("pdf_layout", ADA, "b", amounts), rule, now_ms=NOON_MS)
    assert refusal is not None
    assert refusal.resets_at_ms == NOON_MS + 60_000
    async with database.read() as connection:
        assert await connection.scalar(select(func.count()).select_from(limit_admissions)) == 1
        assert await connection.scalar(select(func.count()).select_from(limit_leases)) == 1
        assert set(await connection.scalars(select(limit_usage.c.amount))) == {1}


async def test_active_work_counts_until_it_ends_or_its_lease_lapses(
    ledger: SqlLimitLedger, other: SqlLimitLedger
) -> None:
    active = [
        {"scope": "user", "limit": 2, "leaseSeconds": 30},
        {"scope": "site", "limit": 3, "leaseSeconds": 30},
    ]
    rule = rules("tts_playback", ADA, admission={"windows": [], "active": active})
    eve = replace(ADA, user_id="eve")
    eves = rules("tts_playback", eve, admission={"windows": [], "active": active})
    first, second, third = (Admission("tts_playback", ADA, work) for work in ("1", "2", "3"))
    assert await ledger.admit(first, rule, now_ms=NOON_MS) is None
    assert await other.admit(second, rule, now_ms=NOON_MS + 10_000) is None
    assert await other.admit(first, rule, now_ms=NOON_MS + 10_000) is None  # again, and renewed
    assert await ledger.admit(third, rule, now_ms=NOON_MS + 10_000) is not None
    assert await ledger.admit(Admission("tts_playback", eve, "4"), eves, now_ms=NOON_MS + 10_000) is None
    full = await ledger.admit(Admission("tts_playback", eve, "5"), eves, now_ms=NOON_MS + 10_000)
    assert full is not None
    assert full.rule in eves.active[1:]
    await other.release("tts_playback", "2")
    assert await ledger.admit(third, rule, now_ms=NOON_MS + 10_000) is None
    # The first went on, the third didn't.
    assert await ledger.hold(first, rule, now_ms=NOON_MS + 35_000) is None
    assert await ledger.hold(second, rule, now_ms=NOON_MS + 39_999) is not None
    assert await ledger.hold(second, rule, now_ms=NOON_MS + 40_000) is None


async def test_rivals_for_the_last_room_share_it_never(ledger: SqlLimitLedger, other: SqlLimitLedger) -> None:
    active = [{"scope": "site", "limit": 3, "leaseSeconds": 30}]
    rule = rules("tts_playback", ADA, admission={"windows": [], "active": active})
    asked = [
        server.hold(Admission("tts_playback", ADA, f"{number}"), rule, now_ms=NOON_MS)
        for number in range(6)
        for server in (ledger, other)
    ]
    refusals = await asyncio.gather(*asked)
    assert sum(refusal is None for refusal in refusals) == 6  # three of them, asked for twice each


async def test_the_same_work_is_a_start_once(ledger: SqlLimitLedger) -> None:
    windows = {"windows": [{"scope": "user", "windowSeconds": 60, "limit": 1}], "active": []}
    rule = rules("tts_playback_plan", ADA, admission=windows)
    plan = Admission("tts_playback_plan", ADA, "plan", counts_once=True)
    for later_ms in range(3):
        assert await ledger.admit(plan, rule, now_ms=NOON_MS + later_ms) is None
    assert await ledger.admit(replace(plan, work="other"), rule, now_ms=NOON_MS + 3) is not None


async def test_characters_are_charged_once_for_each_segment_whoever_asks_how_often(
    ledger: SqlLimitLedger, other: SqlLimitLedger
) -> None:
    rule = rules("tts_synthesis", ADA, usage=[usage("user", 100_000)]).usage
    asked = [
        server.charge(charge(f"segment-{number % 5}", attempt=f"{number}"), rule, now_ms=NOON_MS)
        for number in range(20)
        for server in (ledger, other)
    ]
    assert set(await asyncio.gather(*asked)) == {None}
    assert await used(ledger, ADA, usage("user", 1), usage("ip", 1), usage("site", 1)) == [2000, 2000, 2000]


async def test_a_soft_limit_lets_the_segment_through_that_crosses_it_and_then_none(
    ledger: SqlLimitLedger, other: SqlLimitLedger
) -> None:
    rule = rules("tts_synthesis", ADA, usage=[usage("user", 1000)]).usage
    asked = [
        server.charge(charge(f"{number}-{index}"), rule, now_ms=NOON_MS)
        for number in range(5)
        for index, server in enumerate((ledger, other))
    ]
    refusals = [refusal for refusal in await asyncio.gather(*asked) if refusal]
    assert await used(other, ADA, usage("user", 1)) == [1200]
    assert len(refusals) == 7
    assert refusals[0].resets_at_ms == 1_800_057_600_000  # midnight UTC
    tomorrow = await ledger.charge(charge("x"), rule, now_ms=refusals[0].resets_at_ms)
    assert tomorrow is None


async def test_a_strict_limit_is_not_crossed(ledger: SqlLimitLedger) -> None:
    rule = rules("tts_synthesis", ADA, usage=[usage("user", 1000, boundary="strict")]).usage
    assert [await ledger.charge(charge(name), rule, now_ms=NOON_MS) is None for name in "abc"] == [
        True,
        True,
        False,
    ]
    assert await ledger.charge(charge("d", characters=200), rule, now_ms=NOON_MS) is None


async def test_people_devices_and_networks_are_counted_apart(ledger: SqlLimitLedger) -> None:
    scopes = [usage("user", 500), usage("anonymous_device", 500), usage("ip", 900)]
    guests = rules("tts_synthesis", GUEST, usage=scopes).usage
    assert {rule.subject for rule in guests} == {"user:guest", "device:phone", "ip:home"}
    assert await ledger.charge(charge("a", caller=GUEST), guests, now_ms=NOON_MS) is None
    # A new guest session on the same device, then another device of the same household.
    again = replace(GUEST, user_id="new")
    assert await used(ledger, again, *scopes) == [0, 400, 400]
    neighbour = replace(GUEST, user_id="neighbour", device="tablet")
    theirs = rules("tts_synthesis", neighbour, usage=scopes).usage
    assert await ledger.charge(charge("b", caller=neighbour, characters=500), theirs, now_ms=NOON_MS) is None
    refusal = await ledger.charge(
        charge("c", caller=again), rules("tts_synthesis", again, usage=scopes).usage, now_ms=NOON_MS
    )
    assert refusal is not None
    assert refusal.rule.scope == "ip"
    # Signed in to an account there is no anonymous device.
    assert {rule.scope for rule in rules("tts_synthesis", ADA, usage=scopes).usage} == {"user", "ip"}


def test_the_allowances_of_a_day_are_those_of_guests_and_of_accounts() -> None:
    limited = policies(tts_synthesis={})
    found = {}
    for caller in (GUEST, ADA):
        concerning = rules_for(limited, "tts_synthesis", caller)
        assert concerning is not None
        found[caller.user_id] = {rule.scope: rule.limit for rule in concerning.usage}
    assert found == {
        "guest": {"user": 50_000, "anonymous_device": 50_000, "ip": 100_000},
        "ada": {"user": 500_000, "ip": 1_000_000},
    }
    assert all(rules_for(default_policies(), name, ADA) is None for name in ACTION_NAMES)  # off at first


async def test_a_failed_attempt_takes_back_its_own_charge_and_no_later_one(
    ledger: SqlLimitLedger, other: SqlLimitLedger, database: Database
) -> None:
    rule = rules("tts_synthesis", ADA, usage=[usage("user", 1000)]).usage
    await ledger.charge(charge("segment", "dead worker"), rule, now_ms=NOON_MS)
    await other.charge(charge("segment", "next worker"), rule, now_ms=NOON_MS)
    await ledger.refund("segment", "dead worker")
    assert await used(ledger, ADA, usage("user", 1)) == [400]
    await asyncio.gather(*(server.refund("segment", "next worker") for server in (ledger, other, ledger)))
    assert await used(ledger, ADA, usage("user", 1), usage("ip", 1)) == [0, 0]
    async with database.read() as connection:
        assert (await connection.execute(select(limit_charges))).all() == []


async def test_what_is_old_is_forgotten(ledger: SqlLimitLedger, database: Database) -> None:
    active = [{"scope": "user", "limit": 9, "leaseSeconds": 30}]
    rule = rules("tts_playback", ADA, admission={"windows": [], "active": active})
    synthesis = rules("tts_synthesis", ADA, usage=[usage("user", 10_000)]).usage
    for at_ms in (NOON_MS, NOON_MS + 31 * 86_400_000):
        await ledger.admit(Admission("tts_playback", ADA, f"{at_ms}"), rule, now_ms=at_ms)
        await ledger.charge(charge(f"{at_ms}"), synthesis, now_ms=at_ms)
    now_ms = NOON_MS + 31 * 86_400_000
    removed = await ledger.remove_older(than_ms=now_ms - 30 * 86_400_000, now_ms=now_ms)
    assert removed == 1 + 1 + 1 + 3  # admission, lease, charge; usage of user, ip and site
    async with database.read() as connection:
        for table in (limit_admissions, limit_leases, limit_charges):
            assert await connection.scalar(select(func.count()).select_from(table)) == 1
    await ledger.forget("user:ada")
    assert await used(ledger, ADA, usage("user", 1)) == [0]
