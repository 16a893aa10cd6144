"""Where site features are asked for and kept."""

from typing import Any, Protocol

from app_server.site_features.model import SiteFeatures


class FeatureStore(Protocol):
    async def rows(self) -> dict[str, Any]:
        """Values by key; a key that was never set is absent."""
        ...


class FeatureReader(Protocol):
    async def current(self) -> SiteFeatures: ...
