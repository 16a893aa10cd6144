"""Notices about what does not stop the start: retired and misspelt names, values without effect."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from shared.configuration.declaration import VARIABLES
from shared.configuration.problem import Notice
from shared.configuration.reader import written_text
from shared.configuration.variable import Variable

_RETIRED: Final = {
    "ADMIN_EMAILS": "is no longer used; the first administrator is made with BOOTSTRAP_ADMIN_EMAIL.",
    "IMPORT_LIBRARY_DIR": "is no longer used; write IMPORT_LIBRARY_DIRS.",
    "S3_ENDPOINT": "is no longer used; write S3_INTERNAL_ENDPOINT.",
    "RUN_FS_MIGRATIONS": "is no longer used; RUN_V4_DECOMMISSION takes its place.",
    "COMPUTE_JOB_CONCURRENCY": "is no longer used; start more workers instead.",
    "ENABLE_TEST_NAMESPACE": "is no longer used; leave it out.",
}
_TOGETHER: Final = (
    ("GITHOST_CLIENT_ID", "GITHOST_CLIENT_SECRET"),
    ("OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_DISCOVERY_URL"),
)
_SIMILARITY: Final = 0.85  # one letter wrong in ten, or two in a long name
_SHORTEST_NAME: Final = 6  # shorter ones resemble too much that is not ours (PORT, PORTS, POST)


def notices(mapping: Mapping[str, str]) -> list[Notice]:
    known = {variable.name for variable in VARIABLES}
    found = [notice for variable in VARIABLES for notice in _of_value(variable, mapping)]
    found += list(_half_written(mapping))
    for name in sorted(set(mapping) - known):
        message = _RETIRED.get(name) or _near_miss(name, known, mapping)
        if message:
            found.append(Notice(name, message))
    return found


def _of_value(variable: Variable[Any], mapping: Mapping[str, str]) -> Iterator[Notice]:
    raw = written_text(variable, mapping)
    if not raw:
        return
    try:
        variable.parse(raw)
        remark = variable.remark(raw) if variable.remark else None
    except ValueError:
        return  # a problem, and reported as one
    if remark:
        yield Notice(variable.name, remark)


def _half_written(mapping: Mapping[str, str]) -> Iterator[Notice]:
    """Sign-in that stays off because only some of what it needs is set."""
    for names in _TOGETHER:
        missing = [name for name in names if not mapping.get(name, "").strip()]
        if missing and len(missing) < len(names):
            given = next(name for name in names if name not in missing)
            yield Notice(given, f"has no effect without {' and '.join(missing)}.")


def _near_miss(name: str, known: Iterable[str], mapping: Mapping[str, str]) -> str | None:
    if len(name) < _SHORTEST_NAME:
        return None
    for nearest in difflib.get_close_matches(name.upper(), list(known), n=1, cutoff=_SIMILARITY):
        if nearest not in mapping:
            return f"is not a variable of Lectern; did you mean {nearest}?"
    return None
