"""Removes exports that have had their time, and files of which no export knows: their account is gone."""

from pathlib import PurePosixPath

from app_server.account_export.model import EXPORTS_PREFIX, LIFETIME_MS, export_key
from app_server.account_export.ports import ExportStore
from shared.objects.ports import ObjectStore


class ExportExpiry:
    def __init__(self, *, store: ExportStore, objects: ObjectStore) -> None:
        self._store = store
        self._objects = objects

    async def remove_expired(self, *, now_ms: int) -> int:
        """Returns how many exports went. File first: what is cut short begins anew with the row."""
        expired = await self._store.expired(now_ms=now_ms)
        for export in expired:
            await self._objects.delete(export_key(export))
            await self._store.remove(export.id)
        return len(expired)

    async def remove_lost_files(self, *, now_ms: int) -> int:
        """Returns how many went."""
        before = (now_ms - LIFETIME_MS) / 1000
        old = [found.key async for found in self._objects.list(EXPORTS_PREFIX) if found.modified_at < before]
        lost = [key for key in old if await self._store.find(PurePosixPath(key).stem) is None]
        for key in lost:
            await self._objects.delete(key)
        return len(lost)
