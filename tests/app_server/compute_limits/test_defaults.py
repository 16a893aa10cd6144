"""The built-in policy is the table of the design, row by row."""

import pytest

from app_server.compute_limits.defaults import default_policies

# As the design writes it: limit/seconds per user; active user/site, lease; priority, queue, age; resources.
_TABLE = """
pdf_layout            | 8/60 24/600   | 1/8 86400  | foreground 50 600   | cpu_heavy model_inference
tts_playback          | 12/60 60/3600 | 2/50 1800  | interactive 100 60  |
tts_playback_document | 6/600 30/86400 | 1/20 43200 | background 50 21600 |
tts_playback_plan     | 12/60 60/3600 | 2/20 1800  | foreground 100 600  |
tts_playback_export   | 2/600 6/86400 | 1/4 7200   | foreground 20 600   | media archive_io
document_preview      | 30/600 200/86400 | 4/20 1800 | background 200 3600 | cpu_heavy
document_conversion   | 4/600 20/86400 | 1/8 600   | foreground 50 600   | cpu_heavy
account_export        | 2/3600 4/86400 | 1/4 7200  | background 20 3600  | archive_io
"""
_ROWS = [[cell.strip() for cell in line.split("|")] for line in _TABLE.strip().splitlines()]


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: row[0])
def test_an_action_ships_disabled_and_as_its_row_says(row: list[str]) -> None:
    name, windows, active, execution, resources = row
    action = getattr(default_policies().actions, name)
    assert not action.enabled
    assert [f"{it.limit}/{it.window_seconds}" for it in action.admission.windows] == windows.split()
    assert {it.scope for it in action.admission.windows} == {"user"}
    user, site = action.admission.active
    assert (user.scope, site.scope, user.lease_seconds) == ("user", "site", site.lease_seconds)
    assert f"{user.limit}/{site.limit} {user.lease_seconds}" == active
    planned = action.execution
    assert f"{planned.priority} {planned.max_queued} {planned.max_queue_age_seconds}" == execution
    assert list(planned.resources) == resources.split()
    assert action.usage == ()


def test_speech_is_counted_in_characters_of_a_utc_day() -> None:
    speech = default_policies().actions.tts_synthesis
    assert (speech.enabled, speech.admission, speech.execution) == (False, None, None)
    assert {(it.metric, it.window, it.boundary) for it in speech.usage} == {
        ("characters", "utc_day", "soft_unit")
    }
    assert {(it.scope, it.audience): it.limit for it in speech.usage} == {
        ("user", "anonymous"): 50_000,
        ("user", "authenticated"): 500_000,
        ("anonymous_device", "anonymous"): 50_000,
        ("ip", "anonymous"): 100_000,
        ("ip", "authenticated"): 1_000_000,
    }


def test_workers_and_providers() -> None:
    document = default_policies().model_dump(mode="json", by_alias=True)
    assert set(document) == {"schemaVersion", "actions", "worker", "providers"}
    assert set(document["actions"]) == {row[0] for row in _ROWS} | {"tts_synthesis"}
    assert document["schemaVersion"] == 2
    assert document["worker"] == {
        "maxExecutingPerWorker": 3,
        "resources": {"cpu_heavy": 1, "model_inference": 1, "align": 1, "media": 1, "archive_io": 2},
        "policyRefreshSeconds": 60,
    }
    assert document["providers"] == {
        "defaults": {
            "enabled": True,
            "maxConcurrent": 3,
            "requestsPerMinute": 60,
            "charactersPerMinute": 100_000,
            "maxWaitSeconds": 30,
        },
        "overrides": {},
    }
