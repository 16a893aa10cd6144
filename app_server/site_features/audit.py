"""How a change of site features reads in the audit log. No I/O."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from app_server.accounts.model import User
from app_server.audit.model import AuditNote, audit_note
from app_server.site_features.model import SiteFeatures

POLICIES_KEY: Final = "computeLimitPolicies"


def change_notes(
    actor: User, before: Mapping[str, Any], after: Mapping[str, Any], *, verb: str
) -> list[AuditNote]:
    """One for each key that gets another value. before and after hold values in force, by key."""
    notes = []
    for key, value in after.items():
        kind = "limits" if key == POLICIES_KEY else "feature"
        changes = dict(_changed("value", before.get(key), value))
        if changes:
            notes.append(audit_note(actor, f"{kind}.{verb}", key, **changes))
    return notes


def values_in_force(stored: Mapping[str, Any]) -> dict[str, Any]:
    return default_values() | dict(stored)


def default_values() -> dict[str, Any]:
    return SiteFeatures().model_dump(mode="json", by_alias=True)


def _changed(path: str, before: Any, after: Any) -> Iterable[tuple[str, list[Any]]]:
    """What differs, by its path in the document: [before, after]."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            inner = key if path == "value" else f"{path}.{key}"
            yield from _changed(inner, before.get(key), after.get(key))
    elif before != after:
        yield path, [before, after]
