"""Which speech providers there are for a listener, and which one is meant by default."""

from dataclasses import dataclass

from app_server.providers.model import BUILTIN_REF, DEFAULT_SLUG, Provider, is_provider_ref
from app_server.providers.ports import ProviderStore
from app_server.providers.secrets import api_key_place
from app_server.secrets.sealing import SecretSealer
from app_server.secrets.stored import is_readable
from app_server.site_features.model import SiteFeatures
from app_server.site_features.ports import FeatureReader
from shared.errors import Code, LecternError


@dataclass(frozen=True)
class Choice:
    """A provider as a listener sees it: nothing of where it is or how it is paid for."""

    ref: str
    display_name: str
    type: str
    default_model: str
    # False when its stored key can't be decrypted and has to be entered again.
    has_readable_key: bool = True


_BUILTIN = Choice(ref=BUILTIN_REF, display_name="Built-in voice", type=BUILTIN_REF, default_model="")


class ProviderService:
    def __init__(self, *, store: ProviderStore, features: FeatureReader, sealer: SecretSealer) -> None:
        self._store = store
        self._features = features
        self._sealer = sealer

    async def choices(self) -> tuple[list[Choice], str]:
        """Every provider that a listener may choose, and the reference of the default one (empty when there
        is none). Where listeners don't choose, that is the default one alone."""
        choices, default = await self.turned_on()
        if not (await self._features.current()).enable_tts_providers_tab:
            choices = [choice for choice in choices if choice.ref == default]
        return choices, default

    async def turned_on(self) -> tuple[list[Choice], str]:
        """Every usable provider, and the reference of the default one (empty when there is none)."""
        features = await self._features.current()
        providers = await self._store.enabled()
        choices = [self._choice(provider) for provider in providers]
        if features.enable_builtin_voice:
            choices.append(_BUILTIN)
        return choices, _default_ref(features, providers, choices)

    async def usable_ref(self, ref: str) -> str:
        """The reference itself, or the default for an empty one and where listeners don't choose. Raises
        NOT_FOUND."""
        choices, default = await self.choices()
        may_choose = (await self._features.current()).enable_tts_providers_tab
        wanted = (ref if may_choose else "") or default
        if not any(choice.ref == wanted for choice in choices):
            raise provider_not_found()
        return wanted

    async def usable_model(self, model: str) -> str:
        """Empty, which means the provider's default, where listeners don't choose."""
        return model if await self.has_models() else ""

    async def has_models(self) -> bool:
        """Whether listeners may choose another model than the provider's default."""
        return (await self._features.current()).show_all_provider_models

    async def find(self, ref: str) -> Provider | None:
        """None for the built-in voice. INVALID_ARGUMENT for a malformed reference, else NOT_FOUND."""
        if not is_provider_ref(ref):
            raise LecternError(
                Code.INVALID_ARGUMENT,
                "A provider is named by its slug: lowercase letters, digits and hyphens.",
                reason="PROVIDER_REF_INVALID",
            )
        if ref == BUILTIN_REF:
            if not (await self._features.current()).enable_builtin_voice:
                raise provider_not_found()
            return None
        provider = await self._store.find(ref)
        if provider is None or not provider.enabled:
            raise provider_not_found()
        return provider

    def _choice(self, provider: Provider) -> Choice:
        sealed = provider.sealed_api_key
        return Choice(
            ref=provider.slug,
            display_name=provider.display_name,
            type=provider.type.value,
            default_model=provider.default_model,
            has_readable_key=sealed is None or is_readable(sealed, api_key_place(provider.id), self._sealer),
        )


def provider_not_found() -> LecternError:
    return LecternError(
        Code.NOT_FOUND,
        "This voice provider doesn't exist here or has been turned off. Choose another one.",
        reason="PROVIDER_NOT_FOUND",
    )


def _default_ref(features: SiteFeatures, providers: list[Provider], choices: list[Choice]) -> str:
    wanted = features.default_tts_provider
    by_ref = [choice.ref for choice in choices if choice.ref == wanted]
    by_type = [provider.slug for provider in providers if provider.type.value == wanted]
    by_slug = [provider.slug for provider in providers if provider.slug == DEFAULT_SLUG]
    first = [choice.ref for choice in choices]
    return next(iter([*by_ref, *by_type, *by_slug, *first]), "")
