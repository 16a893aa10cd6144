"""`lectern check`: every problem of a configuration at once. Starts nothing."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from app_server.settings import read_settings
from shared.configuration.environment import ENV_FILE
from shared.configuration.startup import settings_or_exit
from shared.configuration.worker_settings import read_worker_settings


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="lectern check", description=__doc__)
    parser.add_argument("process", nargs="?", choices=("app", "worker"), default="app")
    parser.add_argument("--env-file", type=Path, default=ENV_FILE)
    arguments = parser.parse_args(argv)
    read = read_settings if arguments.process == "app" else read_worker_settings
    settings_or_exit(read, env_file=arguments.env_file)
    sys.stdout.write(f"The configuration of the {arguments.process} is valid.\n")
    return 0
