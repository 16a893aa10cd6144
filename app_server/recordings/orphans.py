"""Files of recordings whose document is gone: its rows went with it, from wherever it was deleted."""

from typing import Final

from app_server.recordings.model import recording_prefix
from app_server.recordings.ports import RecordingStore
from shared.objects.ports import ObjectStore

# A row is written when the upload has ended; the file is there before. No name is used twice, so that what
# has no row by then never gets one.
_AGE_MS: Final = 24 * 3600 * 1000


async def remove_orphaned_recordings(store: RecordingStore, objects: ObjectStore, *, now_ms: int) -> int:
    """Returns how many there were."""
    newest: dict[str, float] = {}
    async for found in objects.list("recordings/"):
        recording_id = found.key.split("/")[1]
        newest[recording_id] = max(newest.get(recording_id, 0), found.modified_at)
    settled = [one for one, modified_at in newest.items() if modified_at * 1000 < now_ms - _AGE_MS]
    orphans = set(settled) - await store.known_of(settled)
    for recording_id in orphans:
        await objects.delete_prefix(recording_prefix(recording_id))
    return len(orphans)
