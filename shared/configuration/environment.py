"""The edge: the process environment and the env file become one mapping. The real environment wins."""

import os
from collections.abc import Mapping
from pathlib import Path

from dotenv import dotenv_values

ENV_FILE = Path(".env")


def read_environment(env_file: Path | None, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Values in the file are literal: no commands, no ${NAME}. A missing file is an empty one."""
    real = dict(os.environ if environment is None else environment)
    if env_file is None or not env_file.is_file():
        return real
    written = dotenv_values(env_file, interpolate=False)
    return {name: text for name, text in written.items() if text is not None} | real
