"""The stable codes of problems, read from the source: each with its status and what it says."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app_server.http.problems import http_status
from shared.errors import Code, LecternError

_ROOT: Final = Path(__file__).resolve().parents[2]
_REASON: Final = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
# What stops a start, and what the two processes tell each other: no browser hears of it.
_INTERNAL: Final = (
    "app_server/supervisor",
    "app_server/database/migrate.py",
    "app_server/openapi",
    "shared/configuration",
    "shared/rpc",
)


@dataclass(frozen=True, order=True)
class Problem:
    code: str
    status: int
    detail: str


@dataclass(frozen=True)
class _Raiser:
    """A function that makes errors of the reasons it is given."""

    code: Code
    reason_index: int
    message_index: int | None


def raised_in(*packages: str) -> set[Problem]:
    """What LecternErrors in these packages say, made at once or by way of a function of the same module or
    of a pair or tuple with the reason."""
    trees = [ast.parse(path.read_text("utf-8")) for path in _files(packages)]
    known = {name: raiser for tree in trees for name, raiser in _raisers(tree) if not name.startswith("_")}
    return {problem for tree in trees for problem in _of_module(tree, known | dict(_raisers(tree)))}


def _files(packages: tuple[str, ...]) -> Iterator[Path]:
    for package in packages:
        for path in sorted((_ROOT / package).rglob("*.py")):
            if not path.relative_to(_ROOT).as_posix().startswith(_INTERNAL):
                yield path


def _raisers(tree: ast.AST) -> Iterator[tuple[str, _Raiser]]:
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        names = [argument.arg for argument in function.args.args]
        for call, code in _errors(function):
            reason, message = _keyword(call, "reason"), call.args[1] if len(call.args) > 1 else None
            if isinstance(reason, ast.Name) and reason.id in names:
                said = (
                    names.index(message.id) if isinstance(message, ast.Name) and message.id in names else None
                )
                yield function.name, _Raiser(code, names.index(reason.id), said)


def _of_module(tree: ast.AST, raisers: dict[str, _Raiser]) -> Iterator[Problem]:
    elsewhere: Code | None = None
    for call, code in _errors(tree):
        reason = _keyword(call, "reason")
        yield from _problems(code, reason, call.args[1] if len(call.args) > 1 else None)
        if isinstance(reason, ast.Name):
            elsewhere = code
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in raisers:
            raiser = raisers[node.func.id]
            yield from _problems(
                raiser.code, _at(node.args, raiser.reason_index), _at(node.args, raiser.message_index)
            )
        if isinstance(node, ast.Tuple):
            yield from _of_tuple(node, elsewhere)


def _of_tuple(node: ast.Tuple, elsewhere: Code | None) -> Iterator[Problem]:
    code = next((code for code in map(_code, node.elts) if code), elsewhere)
    texts = [element for element in node.elts if _text(element)]
    reasons = [element for element in texts if _REASON.fullmatch(_text(element))]
    if code and len(reasons) == 1 and len(texts) == 2:
        yield from _problems(
            code, reasons[0], next(element for element in texts if element is not reasons[0])
        )


def _errors(tree: ast.AST) -> Iterator[tuple[ast.Call, Code]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _keyword(node, "reason") is not None and node.args:
            code = _code(node.args[0])
            if code is not None:
                yield node, code


def _problems(code: Code, reason: ast.expr | None, message: ast.expr | None) -> Iterator[Problem]:
    if isinstance(reason, ast.IfExp):
        yield from _problems(code, reason.body, message)
        yield from _problems(code, reason.orelse, message)
        return
    name = _text(reason)
    if _REASON.fullmatch(name):
        yield Problem(name, http_status(LecternError(code, "", reason=name)), _text(message))


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _at(arguments: list[ast.expr], index: int | None) -> ast.expr | None:
    return arguments[index] if index is not None and index < len(arguments) else None


def _code(node: ast.expr) -> Code | None:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Code":
        return Code[node.attr]
    return None


def _text(node: ast.expr | None) -> str:
    """On one line, with … where something is filled in; empty when the text is made elsewhere."""
    match node:
        case ast.Constant(str() as text):
            return " ".join(text.split())
        case ast.JoinedStr(parts):
            whole = "".join(part.value if isinstance(part, ast.Constant) else "…" for part in parts)  # type: ignore[misc]
            return " ".join(whole.split())
    return ""
