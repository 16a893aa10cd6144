"""Where site features are asked for and kept."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from app_server.accounts.model import User
from app_server.site_features.model import SiteFeatures, Source


@dataclass(frozen=True)
class FeatureRow:
    value: Any
    source: Source


class FeatureStore(Protocol):
    async def rows(self) -> dict[str, FeatureRow]:
        """By key; a key that was never set is absent."""
        ...

    async def replace(
        self, values: Mapping[str, Any], *, source: Source, now_ms: int, actor: User | None = None
    ) -> None:
        """With an actor, the audit log tells what changed."""
        ...

    async def remove(self, keys: Iterable[str], *, now_ms: int, actor: User | None = None) -> None: ...


class FeatureReader(Protocol):
    async def current(self) -> SiteFeatures: ...
