"""Every task of the table, through the running application, on real storage."""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

import pytest
from app_fixtures.administrator import EMAIL, PASSWORD, VARIABLES
from app_fixtures.browser import Browser, Instance
from app_fixtures.worker import StatefulWorker
from sqlalchemy import func, select, update

from app_server.compute_limits.caller import Caller
from app_server.compute_limits.ports import Charge
from app_server.compute_limits.sql_ledger import SqlLimitLedger
from app_server.database.engine import Database, open_database, sqlite_url
from app_server.database.schema import blobs, documents, limit_charges, playback_sessions, sessions
from app_server.library.orphans import OrphanedFiles
from app_server.library.service import blob_lock
from app_server.library.sql_store import SqlDocumentStore
from app_server.playback.old_speech import OldSpeech
from compute_worker.playback.speech_cache import SpeechCache
from compute_worker.playback.use_marks import open_use_marks
from compute_worker.speech.model import FRAME_BYTES, SpokenSegment
from shared.configuration.app_settings import AppSettings
from shared.objects.ports import ObjectStore
from shared.readings import PARSER_VERSION

DAY = 24 * 3600
NewInstance = Callable[[], AbstractAsyncContextManager[Instance]]


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return {**environment, **VARIABLES}


@pytest.fixture
def clock(clock: Any) -> Any:
    """Real time: objects have that of the store."""
    clock.ms = time.time_ns() // 1_000_000
    return clock


@pytest.fixture
async def stored(admin: Browser, settings: AppSettings) -> AsyncIterator[Database]:
    """The application's own database."""
    assert settings.database.path
    async with open_database(sqlite_url(settings.database.path)) as database:
        yield database


async def run(admin: Browser, key: str) -> dict[str, Any]:
    """The counts of a run by hand."""
    if (await admin.get("/api/admin/tasks")).status == 401:  # the clock was turned past the session's end
        assert (await admin.enter("sign-in", EMAIL, PASSWORD)).status == 200
    answer = await admin.post(f"/api/admin/tasks/{key}/run")
    assert answer.status == 202, answer.body
    async with asyncio.timeout(20):
        while True:
            tasks = {task["key"]: task for task in (await admin.get("/api/admin/tasks")).json["tasks"]}
            if not tasks[key]["isRunning"]:
                break
            await asyncio.sleep(0.02)
    last = tasks[key]["lastRun"]
    assert (last["outcome"], last["message"]) == ("done", ""), last
    return dict(last["counts"])


async def keys(objects: ObjectStore, prefix: str) -> set[str]:
    return {found.key async for found in objects.list(prefix)}


async def count(database: Database, table: Any) -> int:
    async with database.read() as connection:
        return int(await connection.scalar(select(func.count()).select_from(table)) or 0)


async def test_reap_orphaned_blobs(
    admin: Browser, stored: Database, objects: ObjectStore, clock: Any
) -> None:
    await admin.add_document(b"<p>Mine.</p>")
    owned = await keys(objects, "")
    orphan = hashlib.sha256(b"nobody's").hexdigest()
    ours = {
        f"documents/{orphan}",
        f"reading/{orphan}/1-html/document.json.gz",
        f"recordings/{'0' * 32}/audio",
    }
    strange = {"documents/not-a-hash", "other/thing", "uploads/of-another-task"}
    for key in ours | strange:
        await objects.put(key, b"x")
    only_a_row = "f" * 64
    async with stored.write() as connection:
        row = {"sha256": only_a_row, "size_bytes": 1, "created_at_ms": clock()}
        await connection.execute(blobs.insert().values(row))
    assert await run(admin, "reap-orphaned-blobs") == {
        "files without a document": 0,  # younger than a day
        "readings of older versions": 0,
        "recordings without a document": 0,
    }
    clock.turn(seconds=DAY + 60)
    assert await run(admin, "reap-orphaned-blobs") == {
        "files without a document": 2,
        "readings of older versions": 0,
        "recordings without a document": 1,
    }
    assert await keys(objects, "") == owned | strange
    assert await count(stored, blobs) == 1


async def test_older_readings_go_when_nobody_needs_them_any_more(
    admin: Browser, stored: Database, objects: ObjectStore, clock: Any, worker: StatefulWorker
) -> None:
    worker.parser_version = "1"
    identifier, other = [await admin.add_document(body, "a.txt") for body in (b"One.", b"Another.")]
    worker.parser_version = PARSER_VERSION
    await admin.send("POST", f"/api/documents/{identifier}/renewal")
    await admin.settled(identifier)
    old = f"reading/{hashlib.sha256(b'One.').hexdigest()}/1-any"
    assert await objects.info(f"{old}/document.json.gz")
    await objects.put(f"{old}/plans/a-plan.json.gz", b"x")
    await objects.put(f"{old}/pages/1/0-320.jpg", b"x")
    session = {"documentId": identifier, "start": {"ordinal": 0}, "parser": "1"}
    assert (await admin.send("POST", "/api/tts/playback/sessions", json=session)).status == 201
    present = await keys(objects, "reading/") - await keys(objects, f"{old}/")

    async def reaped() -> int:
        return int((await run(admin, "reap-orphaned-blobs"))["readings of older versions"])

    assert await reaped() == 0  # a page that was opened before may still show it
    clock.turn(seconds=7 * DAY + 60)
    async with stored.write() as connection:
        await connection.execute(update(playback_sessions).values(plan_id="a-plan"))
    assert await reaped() == 0  # somebody is listening to it
    async with stored.write() as connection:
        await connection.execute(update(playback_sessions).values(plan_id="another"))
    assert await reaped() == 1
    assert await keys(objects, "reading/") == present  # the other document has none but its older one
    assert (await admin.get(f"/api/documents/{other}/sections/0")).status == 200
    assert (await admin.get(f"/api/documents/{identifier}/sections/0")).status == 200
    gone = await admin.get(f"/api/documents/{identifier}/sections/0?parser=1")
    assert gone.code == "READING_REPLACED"
    assert await reaped() == 0


async def test_nothing_is_reaped_that_somebody_uploads_at_that_moment(
    admin: Browser, stored: Database, objects: ObjectStore, clock: Any
) -> None:
    body = b"<p>Once nobody's, now mine.</p>"
    sha256 = hashlib.sha256(body).hexdigest()
    await objects.put(f"documents/{sha256}", body)

    class Between(SqlDocumentStore):
        """The upload comes after the reaper has asked who owns what."""

        async def owned_of(self, sha256s: Any) -> set[str]:
            owned = await super().owned_of(sha256s)
            assert sha256 in sha256s
            await admin.add_document(body)
            return owned

    def later() -> int:
        return int(clock()) + 2 * DAY * 1000

    reaper = OrphanedFiles(store=Between(database=stored), objects=objects, locks=stored, clock=later)
    assert await reaper.reap() == 0
    assert await objects.get(f"documents/{sha256}") == body


async def test_who_adds_and_who_reaps_keep_each_other_out(
    stored: Database, objects: ObjectStore, clock: Any
) -> None:
    """While an upload is copying the bytes into place, the reaper waits; then they are owned."""
    sha256 = hashlib.sha256(b"contested").hexdigest()
    await objects.put(f"documents/{sha256}", b"contested")
    store = SqlDocumentStore(database=stored)

    def later() -> int:
        return int(clock()) + 2 * DAY * 1000

    reaper = OrphanedFiles(store=store, objects=objects, locks=stored, clock=later)
    async with stored.hold(blob_lock(sha256)):
        reaping = asyncio.create_task(reaper.reap())
        done, _ = await asyncio.wait({reaping}, timeout=0.3)
        assert not done
        assert await objects.info(f"documents/{sha256}") is not None
    assert await reaping == 1


async def test_cleanup_temp_uploads(admin: Browser, objects: ObjectStore, clock: Any) -> None:
    await objects.put("uploads/half", b"x")
    assert await run(admin, "cleanup-temp-uploads") == {"unfinished uploads": 0}
    clock.turn(seconds=DAY + 60)
    assert await run(admin, "cleanup-temp-uploads") == {"unfinished uploads": 1}
    assert await keys(objects, "uploads/") == set()


async def test_expire_export_artifacts(admin: Browser, objects: ObjectStore, clock: Any) -> None:
    assert (await admin.post("/api/user/export")).status == 202
    async with asyncio.timeout(20):
        while (await admin.get("/api/user/exports")).json["exports"][0]["state"] != "ready":
            await asyncio.sleep(0.02)
    await objects.put("exports/somebody-deleted/archive.zip", b"x")
    clock.turn(seconds=7 * DAY - 60)
    assert await run(admin, "expire-export-artifacts") == {"exports": 0, "files without an export": 0}
    clock.turn(seconds=120)
    assert await run(admin, "expire-export-artifacts") == {"exports": 1, "files without an export": 1}
    assert await keys(objects, "exports/") == set()


async def test_prune_limit_ledger(admin: Browser, stored: Database, clock: Any) -> None:
    ledger = SqlLimitLedger(database=stored)
    charge = Charge("a", "1", Caller("ada", is_anonymous=False), ("tts_synthesis",), 5)
    await ledger.charge(charge, (), now_ms=clock())
    clock.turn(seconds=30 * DAY)
    await ledger.charge(replace(charge, work="b"), (), now_ms=clock())
    assert (await run(admin, "prune-limit-ledger"))["rows"] == 0
    clock.turn(seconds=DAY)
    assert (await run(admin, "prune-limit-ledger"))["rows"] == 3  # a charge; usage of a user and the site
    assert await count(stored, limit_charges) == 1


async def test_prune_speech_cache(admin: Browser, objects: ObjectStore, clock: Any) -> None:
    """Off until an administrator says for how long unheard speech is kept."""
    spoken = SpokenSegment(bytes(FRAME_BYTES), (), exact=True)
    async with open_use_marks(objects) as marks:
        cache = SpeechCache(store=objects)
        await cache.save("00" * 32, spoken, characters=1)
        await cache.save("ab" * 32, spoken, characters=1)
        await objects.put(f"speech/cd/{'cd' * 32}.mp3", b"cut short before its sidecar")
        everything = await keys(objects, "speech/")
        tasks = (await admin.get("/api/admin/tasks")).json["tasks"]
        [shown] = [task for task in tasks if task["key"] == "prune-speech-cache"]
        assert (shown["enabled"], shown["retentionDays"]) == (False, 90)
        answer = await admin.send("PATCH", "/api/admin/tasks/prune-speech-cache", json={"retentionDays": 10})
        assert answer.json["retentionDays"] == 10
        clock.turn(seconds=10 * DAY)
        assert await run(admin, "prune-speech-cache") == {"passages": 0}
        # A listener's worker loads one of them, and leaves its mark.
        assert await SpeechCache(store=objects, marks=marks).find("ab" * 32) is not None
        await marks.written()
    [mark] = await keys(objects, "speech/") - everything
    assert mark.endswith(f"{'ab' * 32}.used")
    marked = await objects.info(mark)
    assert marked
    clock.ms = int(marked.modified_at * 1000) + 11 * DAY * 1000 - 1
    untouched = OldSpeech(objects=_Aged(objects, keep=mark), clock=clock)
    assert await untouched.prune(retention_days=10) == 2
    assert await keys(objects, "speech/") == {
        f"speech/ab/{'ab' * 32}{end}" for end in (".json", ".mp3", ".used")
    }
    clock.turn(seconds=2 * DAY)
    assert await run(admin, "prune-speech-cache") == {"passages": 1}
    assert await keys(objects, "speech/") == set()


class _Aged:
    """The store as it will be: all but one object are a day older."""

    def __init__(self, objects: ObjectStore, *, keep: str) -> None:
        self._objects = objects
        self._keep = keep

    def __getattr__(self, name: str) -> Any:
        return getattr(self._objects, name)

    async def list(self, prefix: str) -> Any:
        async for found in self._objects.list(prefix):
            age = 0 if found.key == self._keep else DAY
            yield replace(found, modified_at=found.modified_at - age)

    async def info(self, key: str) -> Any:
        found = await self._objects.info(key)
        age = 0 if key == self._keep else DAY
        return found and replace(found, modified_at=found.modified_at - age)


async def test_prune_sessions(admin: Browser, instance: Instance, stored: Database, clock: Any) -> None:
    reader = await instance.new_reader("reader@example.org")
    document_id = await reader.add_document()
    body = {"documentId": document_id, "start": {"ordinal": 0}, "settings": {"providerRef": "builtin"}}
    assert (await reader.post("/api/tts/playback/sessions", body)).status == 201
    assert (await run(admin, "prune-sessions"))["sessions"] == 0
    async with stored.write() as connection:
        of_reader = select(documents.c.owner_id).where(documents.c.id == document_id).scalar_subquery()
        expired = update(sessions).where(sessions.c.user_id == of_reader).values(expires_at_ms=clock())
        await connection.execute(expired)
        await connection.execute(update(playback_sessions).values(created_at_ms=clock() - 31 * DAY * 1000))
    counts = await run(admin, "prune-sessions")
    assert (counts["sessions"], counts["playback sessions"]) == (1, 1)
    assert (await reader.get("/api/documents")).status == 401
    assert (await admin.get("/api/documents")).status == 200
