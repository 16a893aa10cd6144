"""How administrators change the shared providers. A stored key never leaves here but by its last letters."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final
from urllib.parse import urlsplit

from app_server.accounts.model import User
from app_server.audit.model import AuditNote, audit_note
from app_server.clock import Clock
from app_server.http.problems import invalid_fields
from app_server.providers.model import Provider, ProviderType
from app_server.providers.ports import ManagedProviderStore
from app_server.providers.secrets import api_key_place
from app_server.providers.service import provider_not_found
from app_server.secrets.sealing import SealBrokenError, SecretSealer

_KEY_OF_ANOTHER_ADDRESS: Final = (
    "Enter the key again, or remove it: the stored one was given for another address."
)
_SHOWN_CHARACTERS: Final = 4
_SHORTEST_SHOWN_KEY: Final = 12  # of a shorter one, four letters would tell too much


class KeyState(Enum):
    NONE = "none"
    SET = "set"
    # AUTH_SECRET has changed since: it has to be entered again.
    UNREADABLE = "unreadable"


@dataclass(frozen=True)
class ProviderDraft:
    """api_key: None keeps the stored one, an empty text removes it."""

    display_name: str
    type: ProviderType
    base_url: str
    default_model: str
    default_instructions: str
    enabled: bool
    api_key: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class ManagedProvider:
    provider: Provider
    key_state: KeyState
    # Empty for a key that is too short to show any of it.
    key_ending: str = ""


class ProviderManagement:
    def __init__(
        self, *, store: ManagedProviderStore, sealer: SecretSealer, clock: Clock, new_id: Callable[[], str]
    ) -> None:
        self._store = store
        self._sealer = sealer
        self._clock = clock
        self._new_id = new_id

    async def all(self) -> list[ManagedProvider]:
        return [self._managed(provider) for provider in await self._store.all()]

    async def get(self, slug: str) -> ManagedProvider:
        """Raises NOT_FOUND."""
        provider = await self._store.find(slug)
        if provider is None:
            raise provider_not_found()
        return self._managed(provider)

    async def create(self, actor: User, slug: str, draft: ProviderDraft) -> ManagedProvider:
        """Raises SlugTakenError, and for fields that don't fit together."""
        _check_address(draft)
        identifier = self._new_id()
        provider = Provider(
            id=identifier,
            slug=slug,
            display_name=draft.display_name,
            type=draft.type,
            base_url=draft.base_url,
            sealed_api_key=self._sealed(identifier, draft.api_key or ""),
            default_model=draft.default_model,
            default_instructions=draft.default_instructions,
            enabled=draft.enabled,
        )
        note = audit_note(
            actor,
            "provider.create",
            slug,
            type=draft.type.value,
            baseUrl=draft.base_url,
            enabled=draft.enabled,
        )
        await self._store.add(provider, now_ms=self._clock(), note=note)
        return self._managed(provider)

    async def change(self, actor: User, slug: str, draft: ProviderDraft) -> ManagedProvider:
        """Raises NOT_FOUND, and for fields that don't fit together."""
        _check_address(draft)

        def decide(present: Provider) -> tuple[Provider, AuditNote]:
            if draft.api_key is None and present.sealed_api_key and not _same_place(present, draft):
                raise invalid_fields({"apiKey": _KEY_OF_ANOTHER_ADDRESS})
            changed = replace(
                present,
                display_name=draft.display_name,
                type=draft.type,
                base_url=draft.base_url,
                default_model=draft.default_model,
                default_instructions=draft.default_instructions,
                enabled=draft.enabled,
                sealed_api_key=present.sealed_api_key
                if draft.api_key is None
                else self._sealed(present.id, draft.api_key),
            )
            return changed, _change_note(actor, present, changed, draft.api_key)

        provider = await self._store.change(slug, decide, now_ms=self._clock())
        if provider is None:
            raise provider_not_found()
        return self._managed(provider)

    async def remove(self, actor: User, slug: str) -> None:
        """Raises NOT_FOUND."""
        note = audit_note(actor, "provider.delete", slug)
        if not await self._store.remove(slug, now_ms=self._clock(), note=note):
            raise provider_not_found()

    def _sealed(self, provider_id: str, api_key: str) -> str | None:
        return self._sealer.seal(api_key, api_key_place(provider_id)) if api_key else None

    def _managed(self, provider: Provider) -> ManagedProvider:
        if provider.sealed_api_key is None:
            return ManagedProvider(provider, KeyState.NONE)
        try:
            key = self._sealer.open(provider.sealed_api_key, api_key_place(provider.id))
        except SealBrokenError:
            return ManagedProvider(provider, KeyState.UNREADABLE)
        ending = key[-_SHOWN_CHARACTERS:] if len(key) >= _SHORTEST_SHOWN_KEY else ""
        return ManagedProvider(provider, KeyState.SET, ending)


def _check_address(draft: ProviderDraft) -> None:
    if draft.type is ProviderType.CUSTOM_OPENAI and not draft.base_url:
        raise invalid_fields(
            {"baseUrl": "Write the address of the speech API: this type has none of its own."}
        )


def _same_place(present: Provider, draft: ProviderDraft) -> bool:
    """Whether a stored key would go where it has gone before."""
    before, after = urlsplit(present.base_url), urlsplit(draft.base_url)
    return present.type is draft.type and (before.scheme, before.netloc) == (after.scheme, after.netloc)


def _change_note(actor: User, before: Provider, after: Provider, api_key: str | None) -> AuditNote:
    fields = {
        "displayName": (before.display_name, after.display_name),
        "providerType": (before.type.value, after.type.value),
        "baseUrl": (before.base_url, after.base_url),
        "defaultModel": (before.default_model, after.default_model),
        "defaultInstructions": (before.default_instructions, after.default_instructions),
        "enabled": (before.enabled, after.enabled),
    }
    details: dict[str, object] = {name: list(pair) for name, pair in fields.items() if pair[0] != pair[1]}
    if api_key is not None:
        details["apiKey"] = "replaced" if api_key else "removed"
    return audit_note(actor, "provider.change", after.slug, **details)
