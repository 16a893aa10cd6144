"""What a first start takes in, made ready to be stored. No I/O."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from app_server.account_email.model import AccountEmail
from app_server.providers.model import Provider


class Input(Enum):
    """Each is taken in once, and never again."""

    RUNTIME_CONFIG = "runtime_config"
    PROVIDERS = "providers"
    ACCOUNT_EMAIL = "account_email"
    ADMINISTRATOR = "administrator"


@dataclass(frozen=True)
class NewAdministrator:
    id: str
    email: str
    password_hash: str = field(repr=False)


@dataclass(frozen=True)
class FirstBootInputs:
    """None: not given. No providers at all is a choice, which an empty list makes."""

    runtime_config: dict[str, Any] | None
    providers: list[Provider] | None
    account_email: AccountEmail | None
    administrator: NewAdministrator | None

    def given(self) -> set[Input]:
        values = {
            Input.RUNTIME_CONFIG: self.runtime_config,
            Input.PROVIDERS: self.providers,
            Input.ACCOUNT_EMAIL: self.account_email,
            Input.ADMINISTRATOR: self.administrator,
        }
        return {key for key, value in values.items() if value is not None}


class Outcome(Enum):
    TAKEN_IN = "taken in"
    PRESENT = "there was something already"
    ADDRESS_TAKEN = "the address belongs to another account"
