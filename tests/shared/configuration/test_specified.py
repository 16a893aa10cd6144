"""The declaration against the specification's tables, row by row."""

import json
from pathlib import Path

import pytest
from specification.variables import DERIVED, DETECTED, GENERATED, OURS, RETIRED, SPECIFIED, Row

from shared.configuration import table
from shared.configuration.app_settings import read_app_settings
from shared.configuration.declaration import variables_of
from shared.configuration.names import notices
from shared.configuration.reader import read_values
from shared.configuration.variable import Scope, Values, Variable

MINIMAL = {"BASE_URL": "http://localhost:3003", "AUTH_SECRET": "a-random-text-of-some-length"}


def app_values() -> Values:
    values, problems = read_values(MINIMAL, Scope.APP)
    assert problems == []
    return values


def worker_values() -> Values:
    """What the embedded worker is told, but the bind host, which is that of a standalone one."""
    embedded = read_app_settings(MINIMAL).embedded.worker
    assert embedded
    told = {name: text for name, text in embedded.environment.items() if name != "COMPUTE_WORKER_HOST"}
    values, problems = read_values(told, Scope.WORKER)
    assert problems == []
    return values


def declared(name: str, scope: Scope) -> Variable[object]:
    (found,) = [variable for variable in variables_of(scope) if variable.name == name]
    return found


def shown(value: object) -> str | None:
    match value:
        case bool():
            return str(value).lower()
        case tuple():
            return " ".join(str(part) for part in value)
        case None:
            return None
    return str(value)


@pytest.mark.parametrize("row", SPECIFIED, ids=lambda row: row.name)
def test_row(row: Row) -> None:
    """It is declared for those who read it, and has the default that it should have."""
    scopes = {Scope(reader) for reader in row.readers}
    of_name = [variable for scope in Scope for variable in variables_of(scope) if variable.name == row.name]
    assert {scope for variable in of_name for scope in variable.scopes} == scopes
    scope, read = (Scope.APP, app_values) if Scope.APP in scopes else (Scope.WORKER, worker_values)
    variable = declared(row.name, scope)
    value = shown(read().get(variable))
    if row.default is DETECTED:
        assert value
        assert Path(value).is_file()
    elif row.default is GENERATED:
        assert value
        assert shown(read().get(variable)) != value
    elif row.default is DERIVED:
        assert value
        assert shown(read().get(variable)) == value
    else:
        assert value == row.default


def test_a_standalone_worker_listens_on_its_own_port() -> None:
    assert worker_values().get(declared("PORT", Scope.WORKER)) == 8081


def test_what_is_listed_is_what_is_specified_and_what_is_ours_says_so() -> None:
    entries = json.loads(table.as_json())
    assert {entry["name"] for entry in entries if not entry["ours"]} == {row.name for row in SPECIFIED}
    assert {entry["name"] for entry in entries if entry["ours"]} == OURS
    for entry in entries:
        assert entry["meaning"]
        assert entry["rule"]


@pytest.mark.parametrize(("name", "replacement"), RETIRED.items())
def test_a_name_of_version_4_is_noticed_with_what_takes_its_place(name: str, replacement: str) -> None:
    (notice,) = notices({name: "x"})
    assert notice.name == name
    assert replacement in notice.message
