"""What administrators and links in mails do to accounts, straight in the database."""

from sqlalchemy import update

from app_server.database.engine import database_url, open_database
from app_server.database.schema import users
from shared.configuration.app_settings import AppSettings


async def change_user(settings: AppSettings, email: str, **values: object) -> None:
    """values by column."""
    async with open_database(database_url(settings.database)) as database, database.write() as connection:
        await connection.execute(update(users).where(users.c.email == email).values(values))
