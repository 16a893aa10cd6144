"""The first shared provider, from API_BASE, API_KEY and API_MODEL_NAME: once, while there is none."""

from collections.abc import Callable

import structlog

from app_server.clock import Clock
from app_server.providers.model import DEFAULT_SLUG, Provider, ProviderType
from app_server.providers.ports import ProviderStore
from app_server.providers.secrets import api_key_place
from app_server.secrets.sealing import SecretSealer
from shared.configuration.app_settings import ProviderBootstrap

_OPENAI_BASE_URL = "https://api.openai.com/v1"
_log = structlog.get_logger(__name__)


async def bootstrap_provider(
    given: ProviderBootstrap | None,
    *,
    store: ProviderStore,
    sealer: SecretSealer,
    clock: Clock,
    new_id: Callable[[], str],
) -> None:
    if given is None:
        return
    identifier = new_id()
    sealed = sealer.seal(given.api_key, api_key_place(identifier)) if given.api_key else None
    provider = Provider(
        id=identifier,
        slug=DEFAULT_SLUG,
        display_name="Default provider",
        # A key alone can only be meant for the API that everybody else's is shaped after.
        type=ProviderType.CUSTOM_OPENAI if given.base_url else ProviderType.OPENAI,
        base_url=(given.base_url or _OPENAI_BASE_URL).rstrip("/"),
        sealed_api_key=sealed,
        default_model=given.model,
        default_instructions="",
        enabled=True,
    )
    if await store.add_first(provider, created_at_ms=clock()):
        _log.info("a shared provider was made from API_BASE and API_KEY", slug=provider.slug)
