"""How a command gets its settings: the environment is read, notices and problems are printed, all of them."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from shared.configuration.environment import read_environment
from shared.configuration.names import notices
from shared.configuration.problem import ConfigurationError

Settings = TypeVar("Settings")


def settings_or_exit(read: Callable[[Mapping[str, str]], Settings], *, env_file: Path | None) -> Settings:
    """Raises SystemExit(1) after printing every problem to standard error."""
    mapping = read_environment(env_file)
    for notice in notices(mapping):
        sys.stderr.write(f"warning: {notice}\n")
    try:
        return read(mapping)
    except ConfigurationError as error:
        sys.stderr.write(f"{error.message}\n")
        raise SystemExit(1) from error
