"""The limit of uploads, small enough to be reached."""

from typing import Any

import pytest
from sqlalchemy import insert

from app_server.database.engine import open_database, sqlite_url
from app_server.database.migrate import migrate
from app_server.database.schema import runtime_config
from shared.configuration.app_settings import AppSettings


@pytest.fixture
async def one_megabyte(settings: AppSettings, clock: Any, worker: Any) -> None:
    """Must come before the instance, which reads it when first asked."""
    assert settings.database.path
    url = sqlite_url(settings.database.path)
    await migrate(url)
    row = {"key": "maxUploadMb", "value": 1, "source": "admin", "updated_at_ms": 0}
    async with open_database(url) as database, database.write() as connection:
        await connection.execute(insert(runtime_config).values(row))
