"""The site features in force. A change is seen within 15 s; a database in trouble changes nothing."""

import structlog
from pydantic import ValidationError

from app_server.clock import Clock
from app_server.site_features.model import SiteFeatures, features_from_rows
from app_server.site_features.ports import FeatureStore
from shared.errors import LecternError

_FRESH_MS = 15_000
_log = structlog.get_logger(__name__)


class SiteFeatureService:
    def __init__(self, *, store: FeatureStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._features = SiteFeatures()
        self._read_at_ms: int | None = None

    async def current(self) -> SiteFeatures:
        now = self._clock()
        if self._read_at_ms is None or now - self._read_at_ms >= _FRESH_MS:
            self._read_at_ms = now
            await self._refresh()
        return self._features

    async def _refresh(self) -> None:
        try:
            self._features = features_from_rows(await self._store.rows())
        except (LecternError, ValidationError) as error:
            _log.warning("site features keep their last good values", error=type(error).__name__)
