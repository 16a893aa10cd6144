"""Objects of the previous major version, which nothing reads any more: removed at start-up."""

from typing import Final

import structlog

from shared.errors import LecternError
from shared.objects.ports import ObjectStore

RETIRED_PREFIXES: Final = ("tts_segments_v1/", "tts_segments_v2/", "audiobooks_v1/")
_log = structlog.get_logger(__name__)


async def remove_retired_objects(objects: ObjectStore) -> int:
    """Batch by batch, so that a start which is cut off leaves less for the next one. Returns how many went.

    Failure is no reason not to serve: the next start tries again.
    """
    removed = 0
    for prefix in RETIRED_PREFIXES:
        try:
            count = await objects.delete_prefix(prefix)
        except LecternError as error:
            _log.warning("retired objects stay until the next start", prefix=prefix, reason=error.reason)
            continue
        if count:
            _log.info("retired objects were removed", prefix=prefix, objects=count)
        removed += count
    return removed
