"""The runtime seed document: version 1, every key checked, all faults told at once. No I/O."""

from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from app_server.providers.fields import BaseUrl, Instructions, Key, ModelName, Name, Slug
from app_server.providers.model import ProviderType
from app_server.site_features.model import SiteFeatures
from shared.configuration.parsers import word
from shared.email_addresses import normalized_email

VERSION: Final = 1


def _email(text: str) -> str:
    address = normalized_email(text)
    if address is None:
        raise ValueError("Write an e-mail address, such as lectern@example.org.")
    return address


def _version(number: int) -> int:
    if number != VERSION:
        raise ValueError(f"Write {VERSION}, the only version there is.")
    return number


Email = Annotated[str, AfterValidator(_email)]


class _Part(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)


class SeedProvider(_Part):
    slug: Slug
    display_name: Name
    provider_type: ProviderType
    base_url: BaseUrl = ""
    default_model: ModelName = ""
    default_instructions: Instructions = ""
    api_key: Annotated[Key, Field(repr=False)] = ""
    enabled: bool = True


class SeedAccountEmail(_Part):
    enabled: bool
    sender_name: Name
    sender_email: Email
    reply_to: Email | None = None
    api_key: Annotated[str, StringConstraints(min_length=1), AfterValidator(word), Field(repr=False)]


class Seed(_Part):
    version: Annotated[int, AfterValidator(_version)]
    runtime_config: SiteFeatures | None = None
    providers: tuple[SeedProvider, ...] | None = None
    account_email: SeedAccountEmail | None = None

    @property
    def secrets(self) -> frozenset[str]:
        keys = [provider.api_key for provider in self.providers or ()]
        if self.account_email:
            keys.append(self.account_email.api_key)
        return frozenset(key for key in keys if key)
