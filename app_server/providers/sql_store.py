"""Shared providers, as rows."""

from typing import Any

from sqlalchemy import Row, select

from app_server.database.engine import Database
from app_server.database.schema import providers
from app_server.providers.model import Provider, ProviderType


class SqlProviderStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def find(self, slug: str) -> Provider | None:
        async with self._database.read() as connection:
            found = await connection.execute(select(providers).where(providers.c.slug == slug))
            row = found.one_or_none()
        return None if row is None else _provider(row)

    async def enabled(self) -> list[Provider]:
        wanted = (
            select(providers).where(providers.c.enabled).order_by(providers.c.created_at_ms, providers.c.slug)
        )
        async with self._database.read() as connection:
            return [_provider(row) for row in await connection.execute(wanted)]


def provider_row(provider: Provider, created_at_ms: int) -> dict[str, Any]:
    return {
        "id": provider.id,
        "slug": provider.slug,
        "display_name": provider.display_name,
        "provider_type": provider.type.value,
        "base_url": provider.base_url,
        "api_key": provider.sealed_api_key,
        "default_model": provider.default_model,
        "default_instructions": provider.default_instructions,
        "enabled": provider.enabled,
        "created_at_ms": created_at_ms,
    }


def _provider(row: Row[Any]) -> Provider:
    return Provider(
        id=row.id,
        slug=row.slug,
        display_name=row.display_name,
        type=ProviderType(row.provider_type),
        base_url=row.base_url,
        sealed_api_key=row.api_key,
        default_model=row.default_model,
        default_instructions=row.default_instructions,
        enabled=row.enabled,
    )
