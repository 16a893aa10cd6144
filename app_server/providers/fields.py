"""What the fields of a shared provider may hold, in the seed and in the admin area alike. No I/O."""

from typing import Annotated, Final

from pydantic import AfterValidator, StringConstraints

from app_server.providers.model import BUILTIN_REF, ProviderType, is_provider_ref
from shared.configuration.parsers import url, word

_TAKEN: Final = {BUILTIN_REF, *(kind.value for kind in ProviderType)}


def _slug(text: str) -> str:
    if not is_provider_ref(text) or text in _TAKEN:
        raise ValueError("Write lowercase letters, digits and hyphens that are not a type's name.")
    return text


def _address(text: str) -> str:
    return url("http", "https")(text) if text else text


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("Write it without NUL characters.")
    return text


Slug = Annotated[str, AfterValidator(_slug)]
Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
    AfterValidator(_without_nul),
]
# Empty where the type has an address of its own.
BaseUrl = Annotated[str, StringConstraints(max_length=2000), AfterValidator(_address)]
ModelName = Annotated[str, StringConstraints(max_length=200), AfterValidator(_without_nul)]
Instructions = Annotated[str, StringConstraints(max_length=4000), AfterValidator(_without_nul)]
Key = Annotated[str, StringConstraints(max_length=4000), AfterValidator(word)]
