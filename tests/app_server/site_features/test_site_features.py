"""Where a site feature's value comes from, when a change is seen, and that no broken database changes it."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from pydantic import ValidationError
from sqlalchemy import insert

from app_server.accounts.model import AccessStatus, User
from app_server.audit.model import AuditQuery
from app_server.audit.sql_store import SqlAuditLog
from app_server.database.engine import Database
from app_server.database.schema import runtime_config
from app_server.site_features.model import FEATURE_KEYS, SiteFeatures, Source
from app_server.site_features.ports import FeatureRow
from app_server.site_features.service import SiteFeatureService
from app_server.site_features.sql_store import SqlFeatureStore
from shared.errors import Code, LecternError


@pytest.fixture
def features(database: Database, clock: Any) -> SiteFeatureService:
    return SiteFeatureService(store=SqlFeatureStore(database=database), clock=clock)


class BreakingStore:
    """In memory; away while is_away."""

    def __init__(self) -> None:
        self.values: dict[str, FeatureRow] = {}
        self.is_away = False
        self.reads = 0

    async def rows(self) -> dict[str, FeatureRow]:
        self.reads += 1
        await asyncio.sleep(0)
        if self.is_away:
            raise LecternError(Code.UNAVAILABLE, "away")
        return dict(self.values)

    async def replace(
        self, values: Mapping[str, Any], *, source: Source, now_ms: int, actor: User | None = None
    ) -> None:
        self.values |= {key: FeatureRow(value, source) for key, value in values.items()}

    async def remove(self, keys: Iterable[str], *, now_ms: int, actor: User | None = None) -> None:
        self.values = {key: row for key, row in self.values.items() if key not in set(keys)}


@pytest.fixture
def store() -> BreakingStore:
    return BreakingStore()


async def test_without_rows_every_key_has_its_default(features: SiteFeatureService) -> None:
    assert await features.current() == SiteFeatures()
    assert await features.sources() == dict.fromkeys(FEATURE_KEYS, Source.DEFAULT)


async def test_an_administrators_value_wins_and_can_be_taken_back(features: SiteFeatureService) -> None:
    await features.change({"maxUploadMb": 5})
    assert (await features.current()).max_upload_mb == 5
    assert (await features.sources())["maxUploadMb"] is Source.ADMIN
    await features.reset(["maxUploadMb"])
    assert (await features.current()).max_upload_mb == 200
    assert (await features.sources())["maxUploadMb"] is Source.DEFAULT


@pytest.mark.parametrize("values", [{"nope": 1}, {"maxUploadMb": 0}, {"maxUploadMb": 3, "signupPolicy": "x"}])
async def test_a_change_that_is_not_valid_changes_nothing(
    features: SiteFeatureService, values: dict[str, Any]
) -> None:
    with pytest.raises(ValidationError):
        await features.change(values)
    assert await features.current() == SiteFeatures()


async def test_policies_are_kept_as_one_document(
    features: SiteFeatureService, database: Database, clock
) -> None:
    document = SiteFeatures().compute_limit_policies.model_dump(mode="json", by_alias=True, exclude_none=True)
    document["providers"]["overrides"] = {"home": {**document["providers"]["defaults"], "maxConcurrent": 1}}
    await features.change({"computeLimitPolicies": document})
    other = SiteFeatureService(store=SqlFeatureStore(database=database), clock=clock)
    limits = (await other.current()).compute_limit_policies.providers
    assert (limits.limits_of("home").max_concurrent, limits.limits_of("else").max_concurrent) == (1, 3)


async def test_another_process_sees_a_change_within_15_seconds(
    features: SiteFeatureService, database: Database, clock
) -> None:
    other = SiteFeatureService(store=SqlFeatureStore(database=database), clock=clock)
    await other.current()
    await features.change({"maxUploadMb": 5})
    clock.turn(seconds=15)
    assert (await other.current()).max_upload_mb == 5


async def test_it_looks_without_being_asked(store: BreakingStore) -> None:
    features = SiteFeatureService(store=store, clock=lambda: 0)
    task = asyncio.create_task(features.keep_fresh())
    async with asyncio.timeout(5):
        while store.reads == 0:
            await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_database_in_trouble_leaves_the_last_good_values(store: BreakingStore, clock) -> None:
    features = SiteFeatureService(store=store, clock=clock)
    await features.change({"maxUploadMb": 5})
    store.is_away = True
    clock.turn(seconds=60)
    assert (await features.current()).max_upload_mb == 5
    assert (await features.sources())["maxUploadMb"] is Source.ADMIN
    store.is_away = False
    store.values["maxUploadMb"] = FeatureRow(6, Source.ADMIN)
    clock.turn(seconds=15)
    assert (await features.current()).max_upload_mb == 6


async def test_a_database_in_trouble_is_not_asked_at_every_request(store: BreakingStore, clock) -> None:
    features = SiteFeatureService(store=store, clock=clock)
    store.is_away = True
    for _ in range(10):
        await features.current()
    assert store.reads == 1


async def test_whoever_asks_first_waits_for_the_stored_values(store: BreakingStore) -> None:
    store.values["maxUploadMb"] = FeatureRow(5, Source.SEED)
    features = SiteFeatureService(store=store, clock=lambda: 0)
    answers = await asyncio.gather(*(features.current() for _ in range(5)))
    assert {answer.max_upload_mb for answer in answers} == {5}
    assert store.reads == 1


async def test_a_row_that_this_version_does_not_understand_spoils_no_other(
    features: SiteFeatureService, database: Database
) -> None:
    rows = [
        {"key": key, "value": value, "source": "admin", "updated_at_ms": 0}
        for key, value in {"maxUploadMb": 5, "ttsCacheTtlMs": -1, "ofANewerVersion": True}.items()
    ]
    async with database.write() as connection:
        await connection.execute(insert(runtime_config), rows)
    current = await features.current()
    assert (current.max_upload_mb, current.tts_cache_ttl_ms) == (5, 1_800_000)
    assert (await features.sources())["ttsCacheTtlMs"] is Source.DEFAULT


async def test_the_audit_log_tells_what_an_administrator_changed(
    features: SiteFeatureService, database: Database
) -> None:
    ada = User(id="a" * 32, email="ada@example.org", status=AccessStatus.ACTIVE)
    policies = SiteFeatures().compute_limit_policies.model_dump(mode="json", by_alias=True)
    policies["actions"]["tts_synthesis"]["enabled"] = True
    await features.change({"maxUploadMb": 5, "enableBuiltinVoice": True}, actor=ada)
    await features.change({"computeLimitPolicies": policies}, actor=ada)
    await features.reset(["maxUploadMb", "signupPolicy"], actor=ada)
    written = [entry.note for entry in (await SqlAuditLog(database=database).page(AuditQuery())).entries]
    assert {(note.action, note.target): note.details for note in written} == {
        ("feature.change", "maxUploadMb"): {"value": [200, 5]},
        ("limits.change", "computeLimitPolicies"): {"actions.tts_synthesis.enabled": [False, True]},
        ("feature.reset", "maxUploadMb"): {"value": [5, 200]},
    }
