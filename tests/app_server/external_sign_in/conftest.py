import time

import pytest

from servers.identity_provider.process import IdentityProviderServer
from shared.configuration.app_settings import AppSettings, read_app_settings


class RealClock:
    """The provider's, with an offset."""

    def __init__(self) -> None:
        self.offset_seconds = 0.0

    def __call__(self) -> int:
        return int((time.time() + self.offset_seconds) * 1000)

    def turn(self, *, seconds: float) -> None:
        self.offset_seconds += seconds


@pytest.fixture
def clock() -> RealClock:
    return RealClock()


@pytest.fixture
def settings(environment: dict[str, str], identity_provider: IdentityProviderServer) -> AppSettings:
    variables = identity_provider.oidc_variables | identity_provider.githost_variables
    return read_app_settings({**environment, **variables, "OIDC_PROVIDER_NAME": "Our school"})
