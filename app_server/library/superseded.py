"""What an older parser read of a file, once its documents have a newer reading: it stays while somebody may
still have it before them, and goes when nobody does."""

from collections.abc import Awaitable, Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from app_server.clock import Clock
from app_server.database.engine import Database
from app_server.library.ports import DocumentStore
from app_server.library.readings import document_file
from app_server.library.service import blob_lock
from shared.objects.ports import ObjectStore
from shared.readings import PARSER_VERSION, reading_ref_in, version_of

# Pages stay open for days; one that is older tells its reader to load it anew.
_KEPT_MS: Final = 7 * 24 * 3600 * 1000
_MOST_AT_ONCE: Final = 1000
_PLANS: Final = "plans/"

PlansInUse = Callable[[Collection[str]], Awaitable[set[str]]]


@dataclass
class _Found:
    """An older reading, as it lies in the store."""

    reading_ref: str
    touched_ms: int = 0
    plan_ids: set[str] = field(default_factory=set)

    @property
    def sha256(self) -> str:
        return self.reading_ref.split("/")[1]


class SupersededReadings:
    def __init__(
        self,
        *,
        store: DocumentStore,
        objects: ObjectStore,
        locks: Database,
        plans_in_use: PlansInUse,
        clock: Clock,
    ) -> None:
        """plans_in_use: those of the given plans that a playback session still follows."""
        self._store = store
        self._objects = objects
        self._locks = locks
        self._plans_in_use = plans_in_use
        self._clock = clock

    async def reap(self) -> int:
        """Returns how many readings went; there may be more of them next time."""
        before_ms = self._clock() - _KEPT_MS
        reaped = 0
        for found in _oldest_first(await self._older(), before_ms):
            reaped += await self._reap(found, before_ms)
        return reaped

    async def _older(self) -> dict[str, _Found]:
        """Of parsers before this one."""
        readings: dict[str, _Found] = {}
        async for stored in self._objects.list("reading/"):
            reading_ref = reading_ref_in(stored.key)
            if reading_ref is None or version_of(reading_ref) >= int(PARSER_VERSION):
                continue
            found = readings.setdefault(reading_ref, _Found(reading_ref))
            found.touched_ms = max(found.touched_ms, int(stored.modified_at * 1000))
            name = stored.key.removeprefix(reading_ref)
            if name.startswith(_PLANS):
                found.plan_ids.add(name.removeprefix(_PLANS).partition(".")[0])
        return readings

    async def _reap(self, found: _Found, before_ms: int) -> bool:
        """Under the lock nobody begins to use it."""
        async with self._locks.hold(blob_lock(found.sha256)):
            present = await self._store.readings_of(found.sha256)
            newer = [ref for ref in present if version_of(ref) > version_of(found.reading_ref)]
            if found.reading_ref in present or not newer:
                return False
            if not await self._have_replaced(newer, before_ms) or await self._plans_in_use(found.plan_ids):
                return False
            # The document goes first: without it nobody begins with the rest.
            await self._objects.delete(document_file(found.reading_ref))
            await self._objects.delete_prefix(found.reading_ref)
            return True

    async def _have_replaced(self, reading_refs: list[str], before_ms: int) -> bool:
        """For so long that no page is open which was loaded before."""
        for reading_ref in reading_refs:
            stored = await self._objects.info(document_file(reading_ref))
            if stored is None or int(stored.modified_at * 1000) >= before_ms:
                return False
        return True


def _oldest_first(readings: dict[str, _Found], before_ms: int) -> Iterator[_Found]:
    old = [found for found in readings.values() if found.touched_ms < before_ms]
    yield from sorted(old, key=lambda found: found.touched_ms)[:_MOST_AT_ONCE]
