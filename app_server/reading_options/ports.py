"""What reading options ask of their database."""

from typing import Protocol

from app_server.reading_options.model import ReadingOptions
from shared.pronunciation import PronunciationRule


class ReadingOptionsStore(Protocol):
    async def of_document(self, document_id: str) -> ReadingOptions:
        """The default where nobody has chosen. Whoever owns it; callers check."""
        ...

    async def set_for_document(self, document_id: str, options: ReadingOptions) -> None: ...

    async def rules_of_user(self, user_id: str) -> tuple[PronunciationRule, ...]: ...

    async def set_rules_of_user(self, user_id: str, rules: tuple[PronunciationRule, ...]) -> None: ...
