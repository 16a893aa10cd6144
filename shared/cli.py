"""The `lectern` command: finds the function behind each subcommand and imports only that one."""

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Final

# shared imports neither process, so each command is named as module:function and called with its arguments.
_COMMANDS: Final = {
    "serve": ("app_server.serve:main", "start Lectern with the parts that are not configured as external"),
    "worker": ("compute_worker.run:main", "start a compute worker alone"),
    "check": ("app_server.check:main", "print every configuration problem; starts nothing"),
    "env": ("shared.configuration.table:main", "print all variables"),
    "problems": ("app_server.openapi.problem_list:main", "print the codes of all problems"),
    "migrate": ("app_server.database.migrate:main", "bring the database up to date"),
    "rotate-secret": ("app_server.secrets.rotate:main", "seal stored keys anew after AUTH_SECRET changed"),
    "speech-server": ("compute_worker.speech.server:main", "serve the built-in voice as a speech API"),
}


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    if len(arguments) > 0 and arguments[0] in _COMMANDS:
        return _command(arguments[0])(arguments[1:])
    _parser().parse_args(arguments or ["--help"])
    return 0


def _command(name: str) -> Callable[[list[str]], int]:
    module, _, function = _COMMANDS[name][0].partition(":")
    command: Callable[[list[str]], int] = getattr(importlib.import_module(module), function)
    return command


def _parser() -> argparse.ArgumentParser:
    commands = "\n".join(f"  {name:<15}{meaning}" for name, (_, meaning) in _COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="lectern",
        description="Reads documents aloud, with the spoken word highlighted.",
        epilog=f"commands:\n{commands}\n\n`lectern COMMAND --help` tells more about one of them.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=tuple(_COMMANDS), metavar="COMMAND")
    return parser


if __name__ == "__main__":
    sys.exit(main())
