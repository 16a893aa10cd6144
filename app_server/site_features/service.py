"""The site features in force. A change is seen within 15 s; a database in trouble changes nothing."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

import structlog
from pydantic import ValidationError

from app_server.accounts.model import User
from app_server.clock import Clock
from app_server.site_features.model import (
    FEATURE_KEYS,
    SiteFeatures,
    Source,
    faulty_keys,
    features_from_values,
)
from app_server.site_features.ports import FeatureRow, FeatureStore
from shared.errors import LecternError

_FRESH_MS = 15_000
_REFRESH_SECONDS = 10.0
_log = structlog.get_logger(__name__)


class SiteFeatureService:
    def __init__(self, *, store: FeatureStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._features = SiteFeatures()
        self._sources: dict[str, Source] = {}
        self._read_at_ms: int | None = None
        self._reading = asyncio.Lock()

    async def current(self) -> SiteFeatures:
        if self._is_due() and not (self._reading.locked() and self._read_at_ms is not None):
            async with self._reading:
                if self._is_due():  # whoever waited finds it done
                    await self._refresh()
        return self._features

    async def sources(self) -> dict[str, Source]:
        """Of every key."""
        await self.current()
        return {key: self._sources.get(key, Source.DEFAULT) for key in FEATURE_KEYS}

    async def change(self, values: Mapping[str, Any], *, actor: User | None = None) -> None:
        """An administrator's values. Raises pydantic.ValidationError, and then changes nothing."""
        written = features_from_values(values).written()
        await self._store.replace(written, source=Source.ADMIN, now_ms=self._clock(), actor=actor)
        await self.refresh()

    async def reset(self, keys: Iterable[str], *, actor: User | None = None) -> None:
        """Back to the defaults; the first start's seed does not come back."""
        await self._store.remove(keys, now_ms=self._clock(), actor=actor)
        await self.refresh()

    async def refresh(self) -> None:
        async with self._reading:
            await self._refresh()

    async def keep_fresh(self) -> None:
        """Runs until cancelled, so that a change is known before anybody asks."""
        while True:
            await self.refresh()
            await asyncio.sleep(_REFRESH_SECONDS)

    def _is_due(self) -> bool:
        return self._read_at_ms is None or self._clock() - self._read_at_ms >= _FRESH_MS

    async def _refresh(self) -> None:
        try:
            rows = await self._store.rows()
        except LecternError as error:
            _log.warning("site features keep their last good values", reason=error.reason)
        else:
            self._features, self._sources = _valid(rows)
        # Also after a failure: a database in trouble isn't asked at every request.
        self._read_at_ms = self._clock()


def _valid(rows: Mapping[str, FeatureRow]) -> tuple[SiteFeatures, dict[str, Source]]:
    """Without the rows that this version doesn't understand, such as a newer one's."""
    try:
        features = features_from_values({key: row.value for key, row in rows.items()})
    except ValidationError as error:
        faulty = faulty_keys(error)
        _log.warning("site features with a value that is not valid have their defaults", keys=sorted(faulty))
        return _valid({key: row for key, row in rows.items() if key not in faulty})
    return features, {key: row.source for key, row in rows.items()}
