"""Reading options and rules of pronunciation, as rows."""

from dataclasses import asdict

from sqlalchemy import delete, insert, select

from app_server.database.engine import Database, lock_for_transaction
from app_server.database.schema import pronunciation_rules, reading_options
from app_server.reading_options.model import ReadingOptions
from shared.pronunciation import PronunciationRule, rules_of


class SqlReadingOptionsStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def of_document(self, document_id: str) -> ReadingOptions:
        wanted = select(reading_options.c.options).where(reading_options.c.document_id == document_id)
        async with self._database.read() as connection:
            value = await connection.scalar(wanted)
        return ReadingOptions() if value is None else ReadingOptions.from_json(value)

    async def set_for_document(self, document_id: str, options: ReadingOptions) -> None:
        async with self._database.write() as connection:
            await lock_for_transaction(connection, f"reading-options:{document_id}")
            before = delete(reading_options).where(reading_options.c.document_id == document_id)
            await connection.execute(before)
            if options != ReadingOptions():
                row = {"document_id": document_id, "options": options.to_json()}
                await connection.execute(insert(reading_options).values(row))

    async def rules_of_user(self, user_id: str) -> tuple[PronunciationRule, ...]:
        wanted = select(pronunciation_rules.c.rules).where(pronunciation_rules.c.user_id == user_id)
        async with self._database.read() as connection:
            return rules_of(await connection.scalar(wanted) or ())

    async def set_rules_of_user(self, user_id: str, rules: tuple[PronunciationRule, ...]) -> None:
        async with self._database.write() as connection:
            await lock_for_transaction(connection, f"pronunciation-rules:{user_id}")
            before = delete(pronunciation_rules).where(pronunciation_rules.c.user_id == user_id)
            await connection.execute(before)
            if rules:
                row = {"user_id": user_id, "rules": [asdict(rule) for rule in rules]}
                await connection.execute(insert(pronunciation_rules).values(row))
