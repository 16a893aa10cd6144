"""Files of recordings whose document is gone: its rows went with it, from wherever it was deleted."""

import asyncio
from typing import Final

import structlog

from app_server.clock import Clock
from app_server.recordings.model import recording_prefix
from app_server.recordings.ports import RecordingStore
from shared.errors import LecternError
from shared.objects.ports import ObjectStore

_EVERY_SECONDS: Final = 3600
# A row is written when the upload has ended; the file is there before.
_SETTLED_MS: Final = 6 * 3600 * 1000
_log = structlog.get_logger(__name__)


async def keep_recordings_tidy(store: RecordingStore, objects: ObjectStore, clock: Clock) -> None:
    while True:
        try:
            await remove_orphaned_recordings(store, objects, now_ms=clock())
        except LecternError as error:
            _log.warning("orphaned recordings can't be removed", reason=error.reason)
        await asyncio.sleep(_EVERY_SECONDS)


async def remove_orphaned_recordings(store: RecordingStore, objects: ObjectStore, *, now_ms: int) -> int:
    """Returns how many there were."""
    newest: dict[str, float] = {}
    async for found in objects.list("recordings/"):
        recording_id = found.key.split("/")[1]
        newest[recording_id] = max(newest.get(recording_id, 0), found.modified_at)
    settled = [one for one, modified_at in newest.items() if modified_at * 1000 < now_ms - _SETTLED_MS]
    orphans = set(settled) - await store.known_of(settled)
    for recording_id in orphans:
        await objects.delete_prefix(recording_prefix(recording_id))
    return len(orphans)
