"""`lectern env`: the table of all variables, made from their declaration."""

import argparse
import json
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

from shared.configuration.declaration import GROUPS
from shared.configuration.variable import Origin, Variable

_HEADER = ("| Variable | Read by | Default | Meaning and rule |", "|---|---|---|---|")
_DOTENV_HEADER = """\
# Lectern's settings. Copy this file to .env and take the # from the lines that you change.
# Values are literal text: no commands, no ${NAME}. `lectern check` tells what is wrong.
# Made by `lectern env --format dotenv`; change shared/configuration/declared/ instead."""
_FORMATS = ("markdown", "dotenv", "json")


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="lectern env", description=__doc__)
    parser.add_argument("--format", choices=_FORMATS, default="markdown")
    match parser.parse_args(argv).format:
        case "markdown":
            sys.stdout.write(markdown())
        case "dotenv":
            sys.stdout.write(dotenv())
        case _:
            sys.stdout.write(as_json())
    return 0


def markdown() -> str:
    lines = [
        "# Configuration",
        "",
        "<!-- Made by `lectern env --format markdown`; change shared/configuration/declared/ instead. -->",
        "",
        "Variables are read from the environment and from a file `.env` in the working directory; the",
        "environment wins. Values in the file are literal. `lectern check` prints every problem at once.",
        "The embedded worker's variables are written beside the app's.",
    ]
    for title, variables in GROUPS:
        lines += [
            "",
            f"## {title}",
            "",
            "| Variable | Read by | Default | Meaning and rule |",
            "|---|---|---|---|",
        ]
        lines += [_row(variable) for variable in variables]
    return "\n".join(lines) + "\n"


def dotenv() -> str:
    blocks = [_DOTENV_HEADER]
    for title, variables in GROUPS:
        blocks.append(f"# --- {title} ---")
        blocks += [_assignment(variable) for variable in variables]
    return "\n\n".join(blocks) + "\n"


def as_json() -> str:
    return json.dumps([_entry(variable) for _, group in GROUPS for variable in group], indent=2) + "\n"


def _assignment(variable: Variable[Any]) -> str:
    default = _default(variable)
    comment = textwrap.fill(
        _explanation(variable), 100, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
    )
    return f"{comment}\n# {variable.name}={'' if ' ' in default else default}"


def _row(variable: Variable[Any]) -> str:
    default = _default(variable)
    shown = f"`{default}`" if default and " " not in default else default or "unset"
    return f"| `{variable.name}` | {_scopes(variable)} | {shown} | {_explanation(variable)} |"


def _entry(variable: Variable[Any]) -> dict[str, object]:
    return {
        "name": variable.name,
        "scope": _scopes(variable).split(", "),
        "default": _default(variable) or None,
        "meaning": variable.meaning,
        "rule": variable.rule,
        "secret": variable.secret,
        "ours": variable.origin is Origin.LECTERN,
    }


def _explanation(variable: Variable[Any]) -> str:
    return " ".join(part for part in (variable.meaning, variable.rule) if part)


def _scopes(variable: Variable[Any]) -> str:
    return ", ".join(sorted(scope.value for scope in variable.scopes))


def _default(variable: Variable[Any]) -> str:
    if variable.shown_default:
        return variable.shown_default
    match variable.default:
        case None | ():
            return ""
        case bool() as value:
            return str(value).lower()
        case value:
            return str(value)
