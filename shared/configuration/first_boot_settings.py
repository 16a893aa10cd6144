"""What the first start takes in."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from shared.configuration.declared import first_boot
from shared.configuration.variable import Values


@dataclass(frozen=True)
class FirstAdministrator:
    email: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class SeedText:
    """A runtime seed document before anybody looked into it, and the variable that it came by."""

    variable: str
    text: str = field(repr=False)


@dataclass(frozen=True)
class FirstBootSettings:
    seed: SeedText | None
    administrator: FirstAdministrator | None


def first_boot_settings(values: Values) -> FirstBootSettings:
    email = values.get(first_boot.BOOTSTRAP_ADMIN_EMAIL)
    password = values.get(first_boot.BOOTSTRAP_ADMIN_PASSWORD) or values.get(
        first_boot.BOOTSTRAP_ADMIN_PASSWORD_FILE
    )
    file, inline = first_boot.RUNTIME_SEED_JSON_PATH, first_boot.RUNTIME_SEED_JSON
    seed = next(
        (SeedText(variable.name, text) for variable in (file, inline) if (text := values.get(variable))), None
    )
    return FirstBootSettings(
        seed=seed,
        administrator=FirstAdministrator(email, password) if email and password else None,
    )


def seed_text(mapping: Mapping[str, str]) -> SeedText | None:
    """The document alone, so that its faults can be told beside those of the variables."""
    for variable in (first_boot.RUNTIME_SEED_JSON_PATH, first_boot.RUNTIME_SEED_JSON):
        raw = mapping.get(variable.name, "").strip()
        if raw:
            try:
                return SeedText(variable.name, variable.parse(raw))
            except ValueError:
                return None
    return None
