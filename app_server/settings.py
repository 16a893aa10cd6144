"""All that the app server is told, as one report: the variables and the runtime seed document."""

from collections.abc import Mapping
from dataclasses import replace

from app_server.first_boot.reading import read_seed
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.configuration.first_boot_settings import seed_text
from shared.configuration.problem import ConfigurationError, Problem


def read_settings(mapping: Mapping[str, str]) -> AppSettings:
    """Raises ConfigurationError with every problem."""
    problems: list[Problem] = []
    try:
        settings = read_app_settings(mapping)
    except ConfigurationError as error:
        problems += error.problems
    try:
        seed = read_seed(seed_text(mapping))
    except ConfigurationError as error:
        problems += error.problems
    if problems:
        raise ConfigurationError(problems)
    return replace(settings, secrets=settings.secrets | seed.secrets) if seed else settings
