"""The built-in compute policy. Every action ships disabled."""

import json
from functools import cache
from typing import Any, Final

from app_server.compute_limits.model import ComputeLimitPolicies

_Json = dict[str, Any]

_MAX_PER_WORKER: Final = 3
# Limit and seconds per user; active per user, per site, lease seconds; priority, queue, age; resources.
_ACTIONS: Final[dict[str, tuple[Any, ...]]] = {
    "pdf_layout": (
        ((8, 60), (24, 600)), (1, 8, 86400), ("foreground", 50, 600), ("cpu_heavy", "model_inference")
    ),
    "tts_playback": (((12, 60), (60, 3600)), (2, 50, 1800), ("interactive", 100, 60), ()),
    "tts_playback_document": (((6, 600), (30, 86400)), (1, 20, 43200), ("background", 50, 21600), ()),
    "tts_playback_plan": (((12, 60), (60, 3600)), (2, 20, 1800), ("foreground", 100, 600), ()),
    "tts_playback_export": (
        ((2, 600), (6, 86400)), (1, 4, 7200), ("foreground", 20, 600), ("media", "archive_io")
    ),
    "document_preview": (((30, 600), (200, 86400)), (4, 20, 1800), ("background", 200, 3600), ("cpu_heavy",)),
    "document_conversion": (((4, 600), (20, 86400)), (1, 8, 600), ("foreground", 50, 600), ("cpu_heavy",)),
    "account_export": (((2, 3600), (4, 86400)), (1, 4, 7200), ("background", 20, 3600), ("archive_io",)),
}  # fmt: skip
_CHARACTERS_A_DAY: Final = (
    ("user", "anonymous", 50_000),
    ("user", "authenticated", 500_000),
    ("anonymous_device", "anonymous", 50_000),
    ("ip", "anonymous", 100_000),
    ("ip", "authenticated", 1_000_000),
)


@cache
def default_policies() -> ComputeLimitPolicies:
    document = {
        "schemaVersion": 2,
        "actions": {name: _action(*row) for name, row in _ACTIONS.items()} | {"tts_synthesis": _synthesis()},
        "worker": {
            "maxExecutingPerWorker": _MAX_PER_WORKER,
            "resources": {"cpu_heavy": 1, "model_inference": 1, "align": 1, "media": 1, "archive_io": 2},
            "policyRefreshSeconds": 60,
        },
        "providers": {
            "defaults": {
                "enabled": True,
                "maxConcurrent": 3,
                "requestsPerMinute": 60,
                "charactersPerMinute": 100_000,
                "maxWaitSeconds": 30,
            },
            "overrides": {},
        },
    }
    # As text: strict reading takes JSON's lists for tuples, as it does for a seed's or an administrator's.
    return ComputeLimitPolicies.model_validate_json(json.dumps(document))


def _action(
    windows: tuple[tuple[int, int], ...],
    active: tuple[int, int, int],
    execution: tuple[str, int, int],
    resources: tuple[str, ...],
) -> _Json:
    user, site, lease_seconds = active
    priority, max_queued, max_age_seconds = execution
    return {
        "enabled": False,
        "admission": {
            "windows": [
                {"scope": "user", "windowSeconds": seconds, "limit": limit} for limit, seconds in windows
            ],
            "active": [
                {"scope": "user", "limit": user, "leaseSeconds": lease_seconds},
                {"scope": "site", "limit": site, "leaseSeconds": lease_seconds},
            ],
        },
        "usage": [],
        "execution": {
            "priority": priority,
            "maxQueued": max_queued,
            # As many as a worker runs at all: the resources limit first.
            "maxConcurrentPerWorker": _MAX_PER_WORKER,
            "maxQueueAgeSeconds": max_age_seconds,
            "resources": list(resources),
        },
    }


def _synthesis() -> _Json:
    usage = [
        {
            "scope": scope,
            "audience": audience,
            "metric": "characters",
            "window": "utc_day",
            "limit": limit,
            "boundary": "soft_unit",
        }
        for scope, audience, limit in _CHARACTERS_A_DAY
    ]
    return {"enabled": False, "usage": usage}
