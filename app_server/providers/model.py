"""Shared speech providers. No I/O."""

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

BUILTIN_REF: Final = "builtin"
DEFAULT_SLUG: Final = "default-provider"
_SLUG: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")


class ProviderType(Enum):
    CUSTOM_OPENAI = "custom-openai"
    OPENAI = "openai"
    DEEPINFRA = "deepinfra"
    REPLICATE = "replicate"


@dataclass(frozen=True)
class Provider:
    id: str
    slug: str
    display_name: str
    type: ProviderType
    base_url: str
    # Sealed; None when the provider asks for no key.
    sealed_api_key: str | None = field(repr=False)
    default_model: str
    default_instructions: str
    enabled: bool


def is_provider_ref(text: str) -> bool:
    return _SLUG.fullmatch(text) is not None
