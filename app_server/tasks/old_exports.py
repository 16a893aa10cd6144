"""Files made for people to download, such as exports: kept for seven days."""

from typing import Final

from shared.objects.ports import ObjectStore

EXPORTS_PREFIX: Final = "exports/"
_KEPT_SECONDS: Final = 7 * 24 * 3600


async def remove_old_exports(objects: ObjectStore, *, now_ms: int) -> int:
    """Returns how many objects went."""
    before = now_ms / 1000 - _KEPT_SECONDS
    old = [found.key async for found in objects.list(EXPORTS_PREFIX) if found.modified_at < before]
    for key in old:
        await objects.delete(key)
    return len(old)
