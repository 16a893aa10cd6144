"""Temporary objects whose upload was never finished: the browser went away, the app server was killed."""

import asyncio
from typing import Final

import structlog

from app_server.clock import Clock
from app_server.library.uploads import UPLOADS_PREFIX
from shared.errors import LecternError
from shared.objects.ports import ObjectStore

_STALE_SECONDS: Final = 24 * 3600  # far longer than an upload's address is good for
_INTERVAL_SECONDS: Final = 3600
_log = structlog.get_logger(__name__)


async def keep_uploads_tidy(objects: ObjectStore, clock: Clock) -> None:
    while True:
        try:
            await remove_stale_uploads(objects, now_ms=clock())
        except LecternError as error:
            _log.info("stale uploads stay for now", reason=error.reason)
        await asyncio.sleep(_INTERVAL_SECONDS)


async def remove_stale_uploads(objects: ObjectStore, *, now_ms: int) -> int:
    oldest = now_ms / 1000 - _STALE_SECONDS
    stale = [found.key async for found in objects.list(UPLOADS_PREFIX) if found.modified_at < oldest]
    for key in stale:
        await objects.delete(key)
    if stale:
        _log.info("unfinished uploads were removed", objects=len(stale))
    return len(stale)
