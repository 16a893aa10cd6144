"""Notices about names in the environment: retired, not supported yet, or nearly a variable's."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Final

from shared.configuration.declaration import APP_ONLY_SECRETS, VARIABLES
from shared.configuration.problem import Notice

_RETIRED: Final = {
    "ADMIN_EMAILS": "is no longer used; the first administrator is made with BOOTSTRAP_ADMIN_EMAIL.",
    "IMPORT_LIBRARY_DIR": "is no longer used; write IMPORT_LIBRARY_DIRS.",
    "S3_ENDPOINT": "is no longer used; write S3_INTERNAL_ENDPOINT.",
    "RUN_FS_MIGRATIONS": "is no longer used; RUN_V4_DECOMMISSION takes its place.",
    "COMPUTE_JOB_CONCURRENCY": "is no longer used; start more workers instead.",
    "ENABLE_TEST_NAMESPACE": "is no longer used; leave it out.",
}
# Variables of the specification that this version does not read. A set one is named, never silently ignored.
_NOT_READ_YET: Final = frozenset(
    {
        "ALIGN_MODEL_BASE_URL", "BROKER_CREDS", "BROKER_CREDS_FILE", "COMPUTE_PDF_JOB_ATTEMPTS",
        "COMPUTE_PREWARM_MODELS", "CRON_SECRET", "GITHOST_CLIENT_ID", "GITHOST_CLIENT_SECRET",
        "HOSTED_PRODUCTION", "IMPORT_LIBRARY_DIRS", "OBJSTORE_ADVERTISE_HOST", "OIDC_CLIENT_ID",
        "OIDC_CLIENT_SECRET", "OIDC_DISCOVERY_URL", "OIDC_PROVIDER_ID", "OIDC_PROVIDER_NAME", "OIDC_SCOPES",
        "PDF_LAYOUT_MODEL_BASE_URL", "RUNTIME_SEED_JSON", "RUNTIME_SEED_JSON_PATH", "RUN_V4_DECOMMISSION",
        "S3_BROWSER_TRANSPORT", "S3_PUBLIC_ENDPOINT", "USE_ANONYMOUS_AUTH_SESSIONS",
        *(name for name in APP_ONLY_SECRETS if name.startswith("BOOTSTRAP_ADMIN_")),
    }
)  # fmt: skip
_SIMILARITY: Final = 0.85  # one letter wrong in ten, or two in a long name
_SHORTEST_NAME: Final = 6  # shorter ones resemble too much that is not ours (PORT, PORTS, POST)


def notices(mapping: Mapping[str, str]) -> list[Notice]:
    known = {variable.name for variable in VARIABLES} | _NOT_READ_YET
    found: list[Notice] = []
    for name in sorted(mapping):
        if name in known and name not in _NOT_READ_YET:
            continue
        message = _RETIRED.get(name) or _not_read_yet(name) or _near_miss(name, known, mapping)
        if message:
            found.append(Notice(name, message))
    return found


def _not_read_yet(name: str) -> str | None:
    return "is not read by this version and has no effect." if name in _NOT_READ_YET else None


def _near_miss(name: str, known: Iterable[str], mapping: Mapping[str, str]) -> str | None:
    if len(name) < _SHORTEST_NAME:
        return None
    for nearest in difflib.get_close_matches(name.upper(), list(known), n=1, cutoff=_SIMILARITY):
        if nearest not in mapping:
            return f"is not a variable of Lectern; did you mean {nearest}?"
    return None
