"""Shared providers, as rows."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Row, Select, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from app_server.audit.model import AuditNote
from app_server.audit.sql_store import write_note
from app_server.database.engine import Database
from app_server.database.schema import providers
from app_server.providers.model import Provider, ProviderType
from app_server.providers.ports import SlugTakenError


class SqlProviderStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def find(self, slug: str) -> Provider | None:
        async with self._database.read() as connection:
            found = await connection.execute(_of(slug))
            row = found.one_or_none()
        return None if row is None else _provider(row)

    async def enabled(self) -> list[Provider]:
        return [provider for provider in await self.all() if provider.enabled]

    async def all(self) -> list[Provider]:
        wanted = select(providers).order_by(providers.c.created_at_ms, providers.c.slug)
        async with self._database.read() as connection:
            return [_provider(row) for row in await connection.execute(wanted)]

    async def add(self, provider: Provider, *, now_ms: int, note: AuditNote) -> None:
        try:
            async with self._database.write() as connection:
                await connection.execute(insert(providers).values(provider_row(provider, now_ms)))
                await write_note(connection, note, now_ms=now_ms)
        except IntegrityError as error:
            raise SlugTakenError from error

    async def change(
        self, slug: str, decide: Callable[[Provider], tuple[Provider, AuditNote]], *, now_ms: int
    ) -> Provider | None:
        async with self._database.write() as connection:
            row = (await connection.execute(_of(slug).with_for_update())).one_or_none()
            if row is None:
                return None
            changed, note = decide(_provider(row))
            values = provider_row(changed, row.created_at_ms)
            await connection.execute(update(providers).where(providers.c.slug == slug).values(values))
            await write_note(connection, note, now_ms=now_ms)
        return changed

    async def remove(self, slug: str, *, now_ms: int, note: AuditNote) -> bool:
        async with self._database.write() as connection:
            removed = await connection.execute(delete(providers).where(providers.c.slug == slug))
            if not removed.rowcount:
                return False
            await write_note(connection, note, now_ms=now_ms)
        return True


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


def _of(slug: str) -> Select[Any]:
    return select(providers).where(providers.c.slug == slug)


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
