"""Temporary objects whose upload was never finished: the browser went away, the app server was killed."""

from typing import Final

from app_server.library.uploads import UPLOADS_PREFIX
from shared.objects.ports import ObjectStore

# An object is written in one go, and an upload's address is good for an hour: nobody needs one so old.
_STALE_MS: Final = 24 * 3600 * 1000


async def remove_stale_uploads(objects: ObjectStore, *, now_ms: int) -> int:
    """Returns how many there were."""
    oldest = (now_ms - _STALE_MS) / 1000
    stale = [found.key async for found in objects.list(UPLOADS_PREFIX) if found.modified_at < oldest]
    for key in stale:
        await objects.delete(key)
    return len(stale)
