"""Cached speech that nobody has heard for long, removed from the object store.

Workers write a mark beside what they load, at most once a day for each piece.
"""

from collections import defaultdict
from typing import Final

from app_server.clock import Clock
from shared.objects.ports import ObjectStore

_DAY_SECONDS: Final = 24 * 3600
_FOLDERS: Final = tuple(f"speech/{number:02x}/" for number in range(256))
# What makes it exist goes first: a reader trusts only the sidecar.
_SUFFIXES: Final = (".json", ".mp3", ".used")


class OldSpeech:
    def __init__(self, *, objects: ObjectStore, clock: Clock) -> None:
        self._objects = objects
        self._clock = clock

    async def prune(self, *, retention_days: int) -> int:
        """Returns how many pieces of speech went. One day more than asked for: marks are a day apart."""
        before = self._clock() / 1000 - (retention_days + 1) * _DAY_SECONDS
        removed = 0
        for folder in _FOLDERS:
            for stem in await self._unused(folder, before):
                removed += await self._remove(stem, before)
        return removed

    async def _unused(self, folder: str, before: float) -> list[str]:
        latest: defaultdict[str, float] = defaultdict(float)
        async for found in self._objects.list(folder):
            stem, dot, suffix = found.key.rpartition(".")
            if dot + suffix in _SUFFIXES:
                latest[stem] = max(latest[stem], found.modified_at)
        return sorted(stem for stem, at in latest.items() if at < before)

    async def _remove(self, stem: str, before: float) -> bool:
        """Somebody may have begun to listen since the folder was looked through."""
        for suffix in _SUFFIXES:
            found = await self._objects.info(stem + suffix)
            if found is not None and found.modified_at >= before:
                return False
        for suffix in _SUFFIXES:
            await self._objects.delete(stem + suffix)
        return True
