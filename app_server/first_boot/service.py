"""The first start: site features, providers, account e-mail and the first administrator, each once."""

from collections.abc import Callable

import structlog

from app_server.account_email.model import API_KEY_PLACE, AccountEmail
from app_server.accounts.passwords import Passwords
from app_server.clock import Clock
from app_server.first_boot.model import FirstBootInputs, Input, NewAdministrator, Outcome
from app_server.first_boot.ports import FirstBootStore
from app_server.first_boot.seed import Seed, SeedAccountEmail, SeedProvider
from app_server.providers.bootstrap import provider_from_variables
from app_server.providers.model import Provider
from app_server.providers.secrets import api_key_place
from app_server.secrets.sealing import SecretSealer
from shared.configuration.app_settings import ProviderBootstrap
from shared.configuration.first_boot_settings import FirstAdministrator

_log = structlog.get_logger(__name__)


class FirstBoot:
    def __init__(
        self,
        *,
        store: FirstBootStore,
        sealer: SecretSealer,
        passwords: Passwords,
        clock: Clock,
        new_id: Callable[[], str],
    ) -> None:
        self._store = store
        self._sealer = sealer
        self._passwords = passwords
        self._clock = clock
        self._new_id = new_id

    async def take_in(
        self,
        *,
        seed: Seed | None,
        provider: ProviderBootstrap | None,
        administrator: FirstAdministrator | None,
    ) -> None:
        """Does nothing with what an earlier start has taken in."""
        consumed = await self._store.consumed()
        wants_administrator = administrator if Input.ADMINISTRATOR not in consumed else None
        inputs = FirstBootInputs(
            runtime_config=seed.runtime_config.written() if seed and seed.runtime_config else None,
            providers=self._providers(seed, provider),
            account_email=self._account_email(seed.account_email) if seed and seed.account_email else None,
            administrator=await self._administrator(wants_administrator) if wants_administrator else None,
        )
        if inputs.given() - consumed:
            _tell(await self._store.take_in(inputs, now_ms=self._clock()))

    def _providers(self, seed: Seed | None, fallback: ProviderBootstrap | None) -> list[Provider] | None:
        if seed and seed.providers is not None:
            return [self._provider(provider) for provider in seed.providers]
        if fallback:
            return [provider_from_variables(fallback, sealer=self._sealer, new_id=self._new_id)]
        return None

    def _provider(self, given: SeedProvider) -> Provider:
        identifier = self._new_id()
        key = given.api_key
        return Provider(
            id=identifier,
            slug=given.slug,
            display_name=given.display_name,
            type=given.provider_type,
            base_url=given.base_url,
            sealed_api_key=self._sealer.seal(key, api_key_place(identifier)) if key else None,
            default_model=given.default_model,
            default_instructions=given.default_instructions,
            enabled=given.enabled,
        )

    def _account_email(self, given: SeedAccountEmail) -> AccountEmail:
        return AccountEmail(
            enabled=given.enabled,
            sender_name=given.sender_name,
            sender_email=given.sender_email,
            reply_to=given.reply_to,
            sealed_api_key=self._sealer.seal(given.api_key, API_KEY_PLACE),
        )

    async def _administrator(self, given: FirstAdministrator) -> NewAdministrator:
        password_hash = await self._passwords.hash(given.password)
        return NewAdministrator(id=self._new_id(), email=given.email, password_hash=password_hash)


def _tell(outcomes: dict[Input, Outcome]) -> None:
    for key, outcome in outcomes.items():
        if outcome is Outcome.ADDRESS_TAKEN:
            _log.warning(
                "no administrator was made: the address of BOOTSTRAP_ADMIN_EMAIL has an account already; "
                "use another address"
            )
        else:
            _log.info("first start", input=key.value, outcome=outcome.value)
