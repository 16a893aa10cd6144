"""What providers ask of their database."""

from typing import Protocol

from app_server.providers.model import Provider


class ProviderStore(Protocol):
    async def find(self, slug: str) -> Provider | None: ...

    async def enabled(self) -> list[Provider]:
        """Oldest first."""
        ...
