"""The declaration as a whole, and what is printed from it."""

import json
from collections import Counter
from pathlib import Path

import pytest

from shared.configuration import table
from shared.configuration.declaration import APP_ONLY_SECRETS, VARIABLES
from shared.configuration.variable import Scope

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("scope", Scope)
def test_a_name_is_declared_once_per_process(scope):
    names = Counter(variable.name for variable in VARIABLES if scope in variable.scopes)
    assert [name for name, count in names.items() if count > 1] == []


def test_a_required_variable_has_an_example_to_write():
    assert [variable.name for variable in VARIABLES if variable.required and not variable.example] == []


def test_no_secret_has_a_written_default():
    assert [variable.name for variable in VARIABLES if variable.secret and variable.default] == []


def test_the_worker_reads_no_secret_of_the_app():
    assert not {v.name for v in VARIABLES if Scope.WORKER in v.scopes} & set(APP_ONLY_SECRETS)


def test_the_documentation_is_what_is_declared():
    assert (ROOT / "docs" / "configuration.md").read_text() == table.markdown()
    assert (ROOT / "deploy" / ".env.example").read_text() == table.dotenv()


def test_every_format_names_every_variable():
    entries = json.loads(table.as_json())
    assert [entry["name"] for entry in entries] == [variable.name for variable in VARIABLES]
    for variable in VARIABLES:
        assert f"# {variable.name}=" in table.dotenv()
        assert f"| `{variable.name}` |" in table.markdown()
