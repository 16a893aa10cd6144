"""How long the queue of exports may be, and how long one may wait there: the compute limits' part for them.

Each app server makes one export at a time: a priority, a number at once and resources mean nothing here.
"""

from app_server.account_export.model import AccountExport
from app_server.compute_limits.model import Execution
from app_server.site_features.ports import FeatureReader
from shared.errors import Code, LecternError


class ExportQueueLimits:
    def __init__(self, *, features: FeatureReader) -> None:
        self._features = features

    async def check_room(self, waiting: int) -> None:
        """Raises RESOURCE_EXHAUSTED when so many wait already as may."""
        limits = await self._in_force()
        if limits is not None and waiting >= limits.max_queued:
            raise LecternError(
                Code.RESOURCE_EXHAUSTED,
                "Too much is waiting to be done already. Try again in a while.",
                reason="QUEUE_LIMIT_REACHED",
            )

    async def has_waited_too_long(self, export: AccountExport, *, now_ms: int) -> bool:
        """Until it was begun for the first time; what was begun and interrupted is made."""
        limits = await self._in_force()
        waited_ms = now_ms - export.requested_at_ms
        return limits is not None and export.attempts <= 1 and waited_ms > limits.max_queue_age_seconds * 1000

    async def _in_force(self) -> Execution | None:
        action = (await self._features.current()).compute_limit_policies.actions.account_export
        return action.execution if action.enabled else None
