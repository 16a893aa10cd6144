"""Where site features are asked for and kept."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from app_server.site_features.model import SiteFeatures, Source


@dataclass(frozen=True)
class FeatureRow:
    value: Any
    source: Source


class FeatureStore(Protocol):
    async def rows(self) -> dict[str, FeatureRow]:
        """By key; a key that was never set is absent."""
        ...

    async def replace(self, values: Mapping[str, Any], *, source: Source, now_ms: int) -> None: ...

    async def remove(self, keys: Iterable[str]) -> None: ...


class FeatureReader(Protocol):
    async def current(self) -> SiteFeatures: ...
