"""Makes the exports that were asked for, one at a time in each app server. What one leaves, another takes."""

from collections.abc import AsyncIterator
from typing import Final

import structlog

from app_server.account_export.archive import archive
from app_server.account_export.model import LIFETIME_MS, AccountExport, OwnedFile, export_key
from app_server.account_export.ports import ContentReader, ExportStore
from app_server.account_export.queue_limits import ExportQueueLimits
from app_server.account_export.service import AccountExports
from app_server.background import in_rounds
from app_server.clock import Clock
from app_server.compute_limits.service import LimitService
from shared.objects.ports import ObjectNotFoundError, ObjectStore

_POLL_SECONDS: Final = 15.0
# Renewed after every file; the longest file has to be through within it.
_LEASE_MS: Final = 15 * 60 * 1000
_MOST_ATTEMPTS: Final = 3
_WAIT_MS: Final = 30_000
_FAILED: Final = "The export could not be made. Try again; if it stays so, tell the administrator."
_WAITED_TOO_LONG: Final = "Too much else had to be done before this export. Try again in a while."
_log = structlog.get_logger(__name__)


class ExportWorker:
    def __init__(
        self,
        *,
        exports: AccountExports,
        store: ExportStore,
        content: ContentReader,
        objects: ObjectStore,
        limits: LimitService,
        queue_limits: ExportQueueLimits,
        clock: Clock,
    ) -> None:
        self._exports = exports
        self._store = store
        self._content = content
        self._objects = objects
        self._limits = limits
        self._queue_limits = queue_limits
        self._clock = clock

    async def run(self) -> None:
        """Runs until cancelled."""
        await in_rounds(
            self.work, news=self._exports.news, every_seconds=_POLL_SECONDS, waiting="account exports wait"
        )

    async def work(self) -> None:
        """One round: all that are due."""
        while True:
            now_ms = self._clock()
            export = await self._store.take(now_ms=now_ms, leased_until_ms=now_ms + _LEASE_MS)
            if export is None:
                return
            if await self._queue_limits.has_waited_too_long(export, now_ms=now_ms):
                _log.warning("an account export is given up: it waited too long")
                await self._give_up(export, _WAITED_TOO_LONG)
            else:
                await self._attempt(export)

    async def _attempt(self, export: AccountExport) -> None:
        try:
            size_bytes = await self._make(export)
        except _TakenAwayError:
            return
        except Exception as error:  # noqa: BLE001 - whatever it was, the owner is told and the queue goes on
            _log.warning("an account export failed", attempt=export.attempts, exc_info=error)
            await self._fail(export)
            return
        now_ms = self._clock()
        is_ours = await self._store.finish(
            export, size_bytes=size_bytes, now_ms=now_ms, expires_at_ms=now_ms + LIFETIME_MS
        )
        if not is_ours and await self._store.find(export.id) is None:
            await self._objects.delete(export_key(export))  # removed meanwhile
        await self._limits.release("account_export", work=export.id)

    async def _make(self, export: AccountExport) -> int:
        content = await self._content.of(export.user_id)
        done, total = 0, len(content.files)

        async def tell() -> None:
            leased_until_ms = self._clock() + _LEASE_MS
            if not await self._store.advance(export, done=done, total=total, leased_until_ms=leased_until_ms):
                raise _TakenAwayError

        async def on_file() -> None:
            nonlocal done
            done += 1
            await tell()

        await tell()
        chunks = archive(content, read=self._read, at_ms=self._clock(), on_file=on_file)
        return await self._objects.put_stream(export_key(export), chunks, content_type="application/zip")

    async def _fail(self, export: AccountExport) -> None:
        if export.attempts < _MOST_ATTEMPTS:
            await self._store.put_back(export, failure=_FAILED, due_at_ms=self._clock() + _WAIT_MS)
            return
        await self._give_up(export, _FAILED)

    async def _give_up(self, export: AccountExport, failure: str) -> None:
        now_ms = self._clock()
        await self._store.fail(export, failure=failure, now_ms=now_ms, expires_at_ms=now_ms + LIFETIME_MS)
        await self._limits.release("account_export", work=export.id)

    async def _read(self, file: OwnedFile) -> AsyncIterator[bytes]:
        """Nothing at all when the bytes are gone."""
        try:
            async for chunk in self._objects.stream(file.object_key):
                yield chunk
        except ObjectNotFoundError:
            return


class _TakenAwayError(Exception):
    """Another attempt has it, or its owner doesn't want it any more."""
