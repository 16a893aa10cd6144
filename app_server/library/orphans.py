"""Files that no document has any more: a deletion was cut short, or a parser went on after it."""

import re
from collections.abc import Iterable
from typing import Final

from app_server.clock import Clock
from app_server.database.engine import Database
from app_server.library.model import document_key, reading_prefix
from app_server.library.ports import DocumentStore
from app_server.library.service import blob_lock
from shared.objects.ports import ObjectStore

# Whoever writes such an object owns it, or has given up, long before.
_AGE_MS: Final = 24 * 3600 * 1000
_ASKED_AT_ONCE: Final = 500
# Other names are not ours to judge.
_OURS: Final = re.compile(r"(?:documents|reading)/([0-9a-f]{64})(?:/.+)?")


class OrphanedFiles:
    def __init__(self, *, store: DocumentStore, objects: ObjectStore, locks: Database, clock: Clock) -> None:
        self._store = store
        self._objects = objects
        self._locks = locks
        self._clock = clock

    async def reap(self) -> int:
        """Removes the files of every orphan; returns how many files of users that were."""
        before_ms = self._clock() - _AGE_MS
        touched_ms = await self._last_touched()
        old = {sha256 for sha256, at_ms in touched_ms.items() if at_ms < before_ms}
        old |= set(await self._store.unowned_blobs(created_before_ms=before_ms)) - touched_ms.keys()
        reaped = 0
        for sha256 in await self._orphans(sorted(old)):
            reaped += await self._reap(sha256)
        return reaped

    async def _last_touched(self) -> dict[str, int]:
        """When the newest object of each file was written."""
        touched_ms: dict[str, int] = {}
        for prefix in ("documents/", "reading/"):
            async for found in self._objects.list(prefix):
                ours = _OURS.fullmatch(found.key)
                if ours:
                    at_ms = int(found.modified_at * 1000)
                    touched_ms[ours[1]] = max(at_ms, touched_ms.get(ours[1], 0))
        return touched_ms

    async def _orphans(self, sha256s: list[str]) -> Iterable[str]:
        owned: set[str] = set()
        for start in range(0, len(sha256s), _ASKED_AT_ONCE):
            owned |= await self._store.owned_of(sha256s[start : start + _ASKED_AT_ONCE])
        return [sha256 for sha256 in sha256s if sha256 not in owned]

    async def _reap(self, sha256: str) -> bool:
        """Somebody may have uploaded the same bytes since; under the lock that is certain."""
        async with self._locks.hold(blob_lock(sha256)):
            if await self._store.is_owned(sha256):
                return False
            await self._objects.delete(document_key(sha256))
            await self._objects.delete_prefix(reading_prefix(sha256))
            await self._store.forget_blob(sha256)
        return True
