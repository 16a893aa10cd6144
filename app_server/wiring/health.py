"""What has to answer for the app server to be ready."""

from sqlalchemy import text

from app_server.http.health import HealthRoutes
from app_server.version import program_version
from app_server.wiring.foundations import Foundations


def health_routes(base: Foundations) -> HealthRoutes:
    async def ask_database() -> None:
        async with base.database.read() as connection:
            await connection.execute(text("SELECT 1"))

    async def ask_object_store() -> None:
        await base.objects.info("health")

    return HealthRoutes(
        required={"database": ask_database, "objectStorage": ask_object_store},
        optional={},
        version=program_version(),
    )
