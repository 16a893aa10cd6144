"""From a runtime seed's text to the document, or to every fault that it has, each with its JSON pointer."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from app_server.first_boot.seed import Seed
from app_server.providers.model import ProviderType
from shared.configuration.first_boot_settings import SeedText
from shared.configuration.problem import ConfigurationError, Problem

_REMEDIES: Final = {
    "missing": "Add this key.",
    "extra_forbidden": "Take it out: there is no such key.",
    "literal_error": "{}.",
}


class _DuplicateKeyError(ValueError):
    pass


def read_seed(given: SeedText | None) -> Seed | None:
    """Raises ConfigurationError. No message holds anything that the document does."""
    if given is None:
        return None
    try:
        document = json.loads(given.text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ConfigurationError([_problem(given, "", "Nest it less deeply.")]) from error
    except _DuplicateKeyError as error:
        raise ConfigurationError([_problem(given, "", str(error))]) from error
    except json.JSONDecodeError as error:
        remedy = f"Write a JSON object (line {error.lineno}, column {error.colno}: {error.msg})."
        raise ConfigurationError([_problem(given, "", remedy)]) from error
    except ValueError as error:
        raise ConfigurationError([_problem(given, "", "Write plain JSON.")]) from error
    faults_of_text = (*_nulls(document), *_providers(document))
    problems = [_problem(given, pointer, remedy) for pointer, remedy in faults_of_text]
    try:
        seed = Seed.model_validate_json(json.dumps(document))
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        problems += [_problem(given, json_pointer(fault["loc"]), _remedy(fault)) for fault in faults]
    if problems:
        raise ConfigurationError(problems)
    return seed


def json_pointer(location: Sequence[int | str]) -> str:
    """RFC 6901."""
    parts = [str(part).replace("~", "~0").replace("/", "~1") for part in location if part != "[key]"]
    return "".join(f"/{part}" for part in parts)


def _problem(given: SeedText, pointer: str, remedy: str) -> Problem:
    return Problem(given.variable, f"is not valid at {pointer or 'its top level'}", remedy)


def _remedy(fault: Mapping[str, Any]) -> str:
    said = str(fault["msg"]).removeprefix("Value error, ")
    remedy = _REMEDIES.get(fault["type"], "{}").format(said)
    return remedy if remedy.endswith(".") else f"{remedy}."


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _DuplicateKeyError(f"Write the key {twice!r} once in its object, not twice.")
    return found


def _refuse_constant(_name: str) -> None:
    raise ValueError("not JSON")


def _nulls(document: Any) -> Iterator[tuple[str, str]]:
    for key, value in document.items() if isinstance(document, dict) else ():
        if value is None:
            yield json_pointer([key]), "Leave the key out instead of writing null."


def _providers(document: Any) -> Iterator[tuple[str, str]]:
    """What is wrong between the fields of a provider, or between providers."""
    providers = document.get("providers") if isinstance(document, dict) else None
    seen: set[str] = set()
    for index, provider in enumerate(providers if isinstance(providers, list) else ()):
        if not isinstance(provider, dict):
            continue
        if provider.get("providerType") == ProviderType.CUSTOM_OPENAI.value and not provider.get("baseUrl"):
            yield f"/providers/{index}/baseUrl", "Write the address of the speech API: this type has none."
        slug = provider.get("slug")
        if isinstance(slug, str):
            if slug in seen:
                yield f"/providers/{index}/slug", "Give each provider its own slug."
            seen.add(slug)
