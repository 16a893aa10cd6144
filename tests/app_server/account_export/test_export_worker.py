"""Making exports when things go wrong: servers that die, stores that fail. On both databases."""

import asyncio
import io
import itertools
import zipfile
from collections.abc import AsyncIterator

import pytest

from app_server.account_export.content import SqlAccountContent
from app_server.account_export.model import AccountExport, ExportState, export_key
from app_server.account_export.queue_limits import ExportQueueLimits
from app_server.account_export.service import AccountExports
from app_server.account_export.sql_store import SqlExportStore
from app_server.account_export.worker import ExportWorker
from app_server.accounts.model import AccessStatus, User
from app_server.accounts.sql_store import SqlAccountStore
from app_server.compute_limits.caller import Caller
from app_server.compute_limits.defaults import default_policies
from app_server.compute_limits.service import LimitService
from app_server.compute_limits.sql_ledger import SqlLimitLedger
from app_server.database.engine import Database
from app_server.library.formats import DocumentFormat
from app_server.library.model import NewDocument, document_key
from app_server.library.sql_store import SqlDocumentStore
from app_server.site_features.audit import POLICIES_KEY
from app_server.site_features.service import SiteFeatureService
from app_server.site_features.sql_store import SqlFeatureStore
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectStore

ADA = User(id="a" * 32, email="ada@example.org", status=AccessStatus.ACTIVE)
CALLER = Caller(user_id=ADA.id, is_anonymous=False, device="", address="")
SHA256 = "5" * 64
_ids = itertools.count()


class MoodyStore:
    """The real store, but for what it is told about reading documents."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self.failures = 0
        self.is_quick = asyncio.Event()
        self.is_quick.set()

    def __getattr__(self, name: str) -> object:
        return getattr(self._objects, name)

    async def stream(self, key: str, *, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        await self.is_quick.wait()
        if self.failures:
            self.failures -= 1
            raise LecternError(Code.UNAVAILABLE, "The object store is away.")
        async for chunk in self._objects.stream(key, start=start, end=end):
            yield chunk


class Setting:
    def __init__(self, *, database: Database, objects: ObjectStore, clock) -> None:
        self.clock = clock
        self.objects = MoodyStore(objects)
        self.store = SqlExportStore(database=database)
        features = SiteFeatureService(store=SqlFeatureStore(database=database), clock=clock)
        limits = LimitService(ledger=SqlLimitLedger(database=database), features=features, clock=clock)
        self._database, self._limits, self._features = database, limits, features
        self._queue_limits = ExportQueueLimits(features=features)
        self.exports = AccountExports(
            store=self.store,
            objects=self.objects,
            limits=limits,
            queue_limits=self._queue_limits,
            clock=clock,
            new_id=self._new_id,
        )

    def server(self) -> ExportWorker:
        """One app server's part."""
        return ExportWorker(
            exports=self.exports, store=self.store, content=SqlAccountContent(database=self._database),
            objects=self.objects, limits=self._limits, queue_limits=self._queue_limits, clock=self.clock,
        )  # fmt: skip

    async def limit(self, **execution: int) -> None:
        """By the keys of the policy document."""
        document = default_policies().model_dump(mode="json", by_alias=True, exclude_none=True)
        action = document["actions"]["account_export"]
        action |= {"enabled": True, "admission": {"windows": [], "active": []}}
        action["execution"] |= execution
        await self._features.change({POLICIES_KEY: document})

    async def only(self) -> AccountExport:
        (export,) = await self.exports.list(ADA.id)
        return export

    async def begun(self) -> "asyncio.Task[None]":
        """A server that waits for the object store, with an export in its hands."""
        self.objects.is_quick.clear()
        task = asyncio.create_task(self.server().work())
        async with asyncio.timeout(20):
            while (await self.only()).total == 0:
                await asyncio.sleep(0.01)
        return task

    @staticmethod
    def _new_id() -> str:
        return f"{next(_ids):032}"


@pytest.fixture
async def setting(database: Database, objects: ObjectStore, clock) -> Setting:
    await SqlAccountStore(database=database).add(ADA, password_hash="hash", created_at_ms=1)
    await objects.put(document_key(SHA256), b"a story")
    await SqlDocumentStore(database=database).add(
        NewDocument(
            id="d" * 32,
            owner_id=ADA.id,
            sha256=SHA256,
            size_bytes=7,
            file_name="story.txt",
            format=DocumentFormat.TEXT,
            title="Story",
            created_at_ms=1,
        )
    )
    setting = Setting(database=database, objects=objects, clock=clock)
    await setting.exports.start(CALLER)
    return setting


async def test_asking_again_gives_the_one_that_is_under_way(setting: Setting) -> None:
    under_way = await setting.only()
    again = await asyncio.gather(*(setting.exports.start(CALLER) for _ in range(2)))
    assert [export.id for export in again] == [under_way.id] * 2
    await setting.server().work()
    new = await asyncio.gather(*(setting.exports.start(CALLER) for _ in range(2)))
    assert len({export.id for export in new} - {under_way.id}) == 1


async def test_several_servers_make_one_export(setting: Setting) -> None:
    await asyncio.gather(*(setting.server().work() for _ in range(3)))
    export = await setting.only()
    assert (export.state, export.attempts) == (ExportState.READY, 1)
    packed = zipfile.ZipFile(io.BytesIO(await setting.objects.get(export_key(export))))
    assert packed.read("documents/story.txt") == b"a story"


async def test_what_a_server_left_half_way_another_makes(setting: Setting) -> None:
    dying = await setting.begun()
    dying.cancel()
    await asyncio.gather(dying, return_exceptions=True)
    setting.objects.is_quick.set()
    await setting.server().work()
    assert (await setting.only()).state is ExportState.RUNNING, "it may still be at work"
    setting.clock.turn(seconds=15 * 60)
    await setting.server().work()
    export = await setting.only()
    assert (export.state, export.attempts) == (ExportState.READY, 2)


async def test_a_server_that_was_thought_dead_changes_nothing(setting: Setting) -> None:
    slow = await setting.begun()
    setting.clock.turn(seconds=15 * 60)
    second = await setting.store.take(now_ms=setting.clock(), leased_until_ms=setting.clock() + 1000)
    assert second
    assert second.attempts == 2
    setting.objects.is_quick.set()
    await slow
    export = await setting.only()
    assert (export.state, export.attempts) == (ExportState.RUNNING, 2)
    assert await setting.objects.info(export_key(export)) is None


async def test_a_failure_is_tried_again_and_the_third_one_told(setting: Setting) -> None:
    setting.objects.failures = 3
    for attempt in range(1, 4):
        await setting.server().work()
        export = await setting.only()
        assert export.attempts == attempt
        assert export.state is (ExportState.QUEUED if attempt < 3 else ExportState.FAILED)
        await setting.server().work()  # not before its time
        setting.clock.turn(seconds=30)
    assert "could not be made" in (export.failure or "")
    assert await setting.objects.info(export_key(export)) is None
    setting.clock.turn(seconds=7 * 24 * 3600)
    assert await setting.exports.list(ADA.id) == []


async def test_one_that_is_cancelled_while_it_is_made_leaves_nothing(setting: Setting) -> None:
    making = await setting.begun()
    export = await setting.only()
    await setting.exports.remove(ADA.id, export.id)
    setting.objects.is_quick.set()
    await making
    assert await setting.exports.list(ADA.id) == []
    assert await setting.objects.info(export_key(export)) is None


async def test_a_limited_queue_refuses_what_would_make_it_longer(setting: Setting) -> None:
    other = Caller(user_id="b" * 32, is_anonymous=False, device="", address="")
    await setting.limit(maxQueued=1)
    with pytest.raises(LecternError) as refused:
        await setting.exports.start(other)
    assert (refused.value.code, refused.value.reason) == (Code.RESOURCE_EXHAUSTED, "QUEUE_LIMIT_REACHED")
    assert (await setting.exports.start(CALLER)).state is ExportState.QUEUED  # the one that is there
    await setting.server().work()
    assert (await setting.exports.start(CALLER)).state is ExportState.QUEUED  # there is room again


async def test_one_that_waited_too_long_is_not_begun_and_says_so(setting: Setting) -> None:
    await setting.limit(maxQueueAgeSeconds=60)
    setting.clock.turn(seconds=61)
    await setting.server().work()
    export = await setting.only()
    assert export.state is ExportState.FAILED
    assert "Too much else had to be done" in (export.failure or "")
    assert await setting.objects.info(export_key(export)) is None
    # And what was begun in time is made, whatever it takes.
    await setting.exports.start(CALLER)
    setting.objects.failures = 1
    await setting.server().work()
    setting.clock.turn(seconds=61)
    await setting.server().work()
    assert {one.state for one in await setting.exports.list(ADA.id)} == {
        ExportState.FAILED,
        ExportState.READY,
    }
