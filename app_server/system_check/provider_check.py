"""Whether there is anything that can speak."""

from typing import Final, Protocol

from app_server.providers.service import Choice
from app_server.system_check.model import Finding, error, ok

PROVIDERS_FIX: Final = (
    "Turn a provider on under Shared providers, or turn enableBuiltinVoice on under Site features."
)


class ChoiceSource(Protocol):
    async def turned_on(self) -> tuple[list[Choice], str]: ...


class ProviderCheck:
    def __init__(self, *, providers: ChoiceSource) -> None:
        self._providers = providers

    async def look(self) -> Finding:
        choices, default = await self._providers.turned_on()
        if not choices:
            return error("No provider is turned on: nobody can listen.", PROVIDERS_FIX)
        unreadable = [choice.display_name for choice in choices if not choice.has_readable_key]
        if unreadable:
            return error(
                f"The stored key can't be decrypted: {', '.join(unreadable)}.",
                "Enter the key again under Shared providers, or bring the old AUTH_SECRET back.",
            )
        names = ", ".join(choice.display_name for choice in choices)
        return ok(f"Turned on: {names}. Default: {default}.")
