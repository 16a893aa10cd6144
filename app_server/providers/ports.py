"""What providers ask of their database."""

from collections.abc import Callable
from typing import Protocol

from app_server.audit.model import AuditNote
from app_server.providers.model import Provider
from shared.errors import Code, LecternError


class SlugTakenError(LecternError):
    def __init__(self) -> None:
        super().__init__(
            Code.ALREADY_EXISTS,
            "There is already a provider with this slug. Choose another one.",
            reason="PROVIDER_SLUG_TAKEN",
        )


class ProviderStore(Protocol):
    async def find(self, slug: str) -> Provider | None: ...

    async def enabled(self) -> list[Provider]:
        """Oldest first."""
        ...


class ManagedProviderStore(ProviderStore, Protocol):
    """Each change is written together with its note in the audit log."""

    async def all(self) -> list[Provider]:
        """Oldest first, those that are turned off included."""
        ...

    async def add(self, provider: Provider, *, now_ms: int, note: AuditNote) -> None:
        """Raises SlugTakenError."""
        ...

    async def change(
        self, slug: str, decide: Callable[[Provider], tuple[Provider, AuditNote]], *, now_ms: int
    ) -> Provider | None:
        """decide sees the provider as it is, and nobody else changes it meanwhile. None: there is none."""
        ...

    async def remove(self, slug: str, *, now_ms: int, note: AuditNote) -> bool:
        """False: there is none."""
        ...
