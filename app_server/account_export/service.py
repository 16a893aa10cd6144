"""Exports as their owner asks for them: started, listed, found, removed."""

import asyncio
from collections.abc import Callable

from app_server.account_export.model import (
    AccountExport,
    ExportState,
    export_key,
    exports_of,
)
from app_server.account_export.ports import ExportStore
from app_server.account_export.queue_limits import ExportQueueLimits
from app_server.clock import Clock
from app_server.compute_limits.caller import Caller
from app_server.compute_limits.service import LimitService
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectStore


class AccountExports:
    def __init__(
        self,
        *,
        store: ExportStore,
        objects: ObjectStore,
        limits: LimitService,
        queue_limits: ExportQueueLimits,
        clock: Clock,
        new_id: Callable[[], str],
    ) -> None:
        self._store = store
        self._objects = objects
        self._limits = limits
        self._queue_limits = queue_limits
        self._clock = clock
        self._new_id = new_id
        # For this process's worker; others look by themselves.
        self.news = asyncio.Event()

    async def start(self, caller: Caller) -> AccountExport:
        """Or the one that is under way. Raises RESOURCE_EXHAUSTED when a limit keeps another one back."""
        under_way = next((it for it in await self.list(caller.user_id) if it.is_under_way), None)
        if under_way is not None:
            return under_way
        await self._queue_limits.check_room(await self._store.count_waiting())
        new = AccountExport(
            id=self._new_id(),
            user_id=caller.user_id,
            state=ExportState.QUEUED,
            requested_at_ms=self._clock(),
        )
        await self._limits.admit("account_export", caller, work=new.id)
        export = await self._store.add(new)
        if export.id != new.id:
            await self._limits.release("account_export", work=new.id)
        self.news.set()
        return export

    async def list(self, user_id: str) -> list[AccountExport]:
        """Newest first, without those that have had their time: a task removes them once a day."""
        now_ms = self._clock()
        return [it for it in await self._store.of_user(user_id) if not it.has_expired(now_ms)]

    async def ready(self, user_id: str, export_id: str) -> tuple[AccountExport, int]:
        """With the size of its file in bytes. Raises NOT_FOUND, and FAILED_PRECONDITION while there is
        nothing to download."""
        export = await self._mine(user_id, export_id)
        if export.state is not ExportState.READY or export.size_bytes is None:
            raise LecternError(
                Code.FAILED_PRECONDITION, "This export isn't ready yet.", reason="EXPORT_NOT_READY"
            )
        return export, export.size_bytes

    async def remove(self, user_id: str, export_id: str) -> None:
        """Also one that is being made: whoever makes it notices, and leaves nothing behind."""
        export = await self._mine(user_id, export_id)
        await self._objects.delete(export_key(export))
        await self._store.remove(export.id)
        await self._limits.release("account_export", work=export.id)

    async def remove_all(self, user_id: str) -> None:
        """For an account that is being deleted."""
        for export in await self._store.of_user(user_id):
            await self.remove(user_id, export.id)
        await self._objects.delete_prefix(exports_of(user_id))

    async def _mine(self, user_id: str, export_id: str) -> AccountExport:
        export = await self._store.find(export_id)
        if export is None or export.user_id != user_id or export.has_expired(self._clock()):
            raise LecternError(Code.NOT_FOUND, "There is no such export.", reason="EXPORT_NOT_FOUND")
        return export
