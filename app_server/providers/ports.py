"""What providers ask of their database."""

from typing import Protocol

from app_server.providers.model import Provider


class ProviderStore(Protocol):
    async def add_first(self, provider: Provider, *, created_at_ms: int) -> bool:
        """Adds it if there is none at all, also when several programs try at once. Whether it was added."""
        ...

    async def find(self, slug: str) -> Provider | None: ...

    async def enabled(self) -> list[Provider]:
        """Oldest first."""
        ...
