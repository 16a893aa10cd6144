"""From a mapping of names to texts, to the values of one scope: every problem found, none reported alone."""

from collections.abc import Mapping
from typing import Any

from shared.configuration.declaration import APP_ONLY_SECRETS, variables_of
from shared.configuration.hosting import request_duration_platform
from shared.configuration.problem import Problem
from shared.configuration.rules import rule_problems
from shared.configuration.variable import Scope, Values, Variable


def read_values(mapping: Mapping[str, str], scope: Scope) -> tuple[Values, list[Problem]]:
    variables = variables_of(scope)
    parsed: dict[str, object] = {}
    problems: list[Problem] = []
    for variable in variables:
        raw = written_text(variable, mapping)
        if not raw:
            continue
        try:
            parsed[variable.name] = variable.parse(raw)
        except ValueError as error:
            problems.append(Problem(variable.name, _describe(variable, raw), str(error)))
    faulty = {problem.name for problem in problems}
    values = Values(
        scope=scope,
        parsed=parsed,
        faulty=faulty,
        variables=variables,
        platform=request_duration_platform(mapping),
    )
    problems += [
        problem
        for variable in variables
        if variable.name not in faulty and (problem := _missing(variable, values)) is not None
    ]
    problems += [problem for problem in rule_problems(values) if problem.name not in faulty]
    if scope is Scope.WORKER:
        problems += [_app_only(name) for name in APP_ONLY_SECRETS if mapping.get(name)]
    return values, problems


def written_text(variable: Variable[Any], mapping: Mapping[str, str]) -> str:
    """Empty when the variable is unset or blank."""
    raw = mapping.get(variable.name, "")
    return raw if variable.verbatim and raw.strip() else raw.strip()


def _describe(variable: Variable[Any], raw: str) -> str:
    return (
        "has a value that is not valid" if variable.secret else f"is {_shortened(raw)!r}, which is not valid"
    )


def _shortened(raw: str) -> str:
    return raw if len(raw) <= 80 else f"{raw[:77]}..."


def _missing(variable: Variable[Any], values: Values) -> Problem | None:
    if variable.required is None or values.get(variable) is not None:
        return None
    reason = variable.required(values)
    if reason is None:
        return None
    return Problem(variable.name, reason, f"Set it to {variable.example}.")


def _app_only(name: str) -> Problem:
    return Problem(name, "is set, but belongs to the app alone", "Take it out of the worker's environment.")
