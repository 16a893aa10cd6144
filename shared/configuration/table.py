"""`lectern env`: the table of all variables, made from their declaration."""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from shared.configuration.declaration import GROUPS
from shared.configuration.variable import Origin, Variable

_HEADER = ("| Variable | Read by | Default | Meaning and rule |", "|---|---|---|---|")
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
    blocks = []
    for title, variables in GROUPS:
        blocks.append(f"# --- {title} ---")
        for variable in variables:
            default = _default(variable)
            blocks.append(
                f"# {variable.meaning} {variable.rule}\n# {variable.name}={'' if ' ' in default else default}"
            )
    return "\n\n".join(blocks) + "\n"


def as_json() -> str:
    return json.dumps([_entry(variable) for _, group in GROUPS for variable in group], indent=2) + "\n"


def _row(variable: Variable[Any]) -> str:
    default = _default(variable)
    shown = f"`{default}`" if default and " " not in default else default or "unset"
    return f"| `{variable.name}` | {_scopes(variable)} | {shown} | {variable.meaning} {variable.rule} |"


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
