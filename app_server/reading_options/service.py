"""Reading options of one's own documents, and one's own rules of pronunciation."""

import asyncio
from collections.abc import Sequence

from app_server.http.problems import invalid_fields
from app_server.library.service import LibraryService
from app_server.reading_options.model import ReadingOptions
from app_server.reading_options.ports import ReadingOptionsStore
from shared.pronunciation import Applied, Pronunciation, PronunciationRule, RuleError


class ReadingOptionsService:
    def __init__(self, *, store: ReadingOptionsStore, library: LibraryService) -> None:
        self._store = store
        self._library = library

    async def of_document(self, user_id: str, document_id: str) -> ReadingOptions:
        """Raises NOT_FOUND."""
        document = await self._library.get(user_id, document_id)
        return await self._store.of_document(document.id)

    async def set_for_document(self, user_id: str, document_id: str, options: ReadingOptions) -> None:
        """Raises NOT_FOUND, and INVALID_ARGUMENT for rules that can't be used."""
        document = await self._library.get(user_id, document_id)
        await check_rules(options.rules)
        await self._store.set_for_document(document.id, options)

    async def rules(self, user_id: str) -> tuple[PronunciationRule, ...]:
        return await self._store.rules_of_user(user_id)

    async def set_rules(self, user_id: str, rules: tuple[PronunciationRule, ...]) -> None:
        """Raises INVALID_ARGUMENT for rules that can't be used."""
        await check_rules(rules)
        await self._store.set_rules_of_user(user_id, rules)

    async def for_listening(self, user_id: str, document_id: str) -> ReadingOptions:
        """With the listener's own rules after the document's."""
        options = await self._store.of_document(document_id)
        return options.with_rules(await self._store.rules_of_user(user_id))


async def check_rules(rules: Sequence[PronunciationRule]) -> None:
    """Raises INVALID_ARGUMENT, by the fields of the first one that can't be used."""
    await asyncio.to_thread(_check, rules)


async def tried(rules: tuple[PronunciationRule, ...], text: str) -> Applied:
    """What the rules make of a text. Raises INVALID_ARGUMENT for one that can't be used."""
    await check_rules(rules)
    return await asyncio.to_thread(Pronunciation(rules).applied, text)


def _check(rules: Sequence[PronunciationRule]) -> None:
    for index, rule in enumerate(rules):
        try:
            rule.check()
        except RuleError as error:
            raise invalid_fields({f"rules.{index}.{error.field}": error.message}) from error
