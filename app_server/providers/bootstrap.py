"""The shared provider that API_BASE, API_KEY and API_MODEL_NAME describe."""

from collections.abc import Callable

from app_server.providers.model import DEFAULT_SLUG, Provider, ProviderType
from app_server.providers.secrets import api_key_place
from app_server.secrets.sealing import SecretSealer
from shared.configuration.app_settings import ProviderBootstrap

_OPENAI_BASE_URL = "https://api.openai.com/v1"


def provider_from_variables(
    given: ProviderBootstrap, *, sealer: SecretSealer, new_id: Callable[[], str]
) -> Provider:
    identifier = new_id()
    return Provider(
        id=identifier,
        slug=DEFAULT_SLUG,
        display_name="Default provider",
        # A key alone can only be meant for the API that everybody else's is shaped after.
        type=ProviderType.CUSTOM_OPENAI if given.base_url else ProviderType.OPENAI,
        base_url=(given.base_url or _OPENAI_BASE_URL).rstrip("/"),
        sealed_api_key=sealer.seal(given.api_key, api_key_place(identifier)) if given.api_key else None,
        default_model=given.model,
        default_instructions="",
        enabled=True,
    )
