"""Each of the checks after a run finds what it is there to find, and nothing else."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from faults import checks
from faults.provider import Asked
from faults.stored import Stored
from faults.trouble import Happening

KILLED = Happening(began=10.0, ended=13.0, part="worker-1", what="kill")
SESSION = {"session.a": {}, "cursor.a": {}, "operation.playback-a": {"state": "succeeded"}}
DOCUMENT = {"operation.document-b": {"state": "succeeded"}}


def present(*, jobs: int = 0, consumers: int = 0, **more: dict[str, Any]) -> Stored:
    added = {key.replace("_", ".", 1): value for key, value in more.items()}
    return Stored({**SESSION, **DOCUMENT, **added}, jobs, consumers)


def complaints(stored: Stored) -> list[str]:
    return [
        *checks.every_operation_is_settled(stored),
        *checks.no_claim_is_left(stored),
        *checks.no_job_is_left(stored),
        *checks.followers_have_not_grown(stored, [KILLED]),
        *checks.nothing_has_grown(stored, sessions=1, documents=1),
    ]


def test_what_a_good_run_leaves_is_no_reason_to_complain() -> None:
    assert complaints(present(provider_minute={}, provider_rest={})) == []


@pytest.mark.parametrize(
    ("left", "complaint"),
    [
        (present(operation_c={"state": "queued"}), "operation.c is queued"),
        (present(claim_a={}), "claim.a"),
        (present(jobs=1), "1 jobs for 0 operations"),
        (present(consumers=2), "2 consumers of events"),
        (present(session_b={}), "session: 2, not 1"),
        (present(cursor_b={}), "cursor: 2, not 1"),
        (present(operation_c={"state": "failed"}), "operation: 3, not 2"),
        (present(provider_a={}, provider_b={}, provider_c={}), "provider: "),
        (present(thing_a={}), "unexpected thing"),
    ],
)
def test_what_is_left_with_the_broker_is_found(left: Stored, complaint: str) -> None:
    assert [found for found in complaints(left) if found.startswith(complaint)]


@pytest.mark.parametrize(
    ("first", "second", "is_fine"),
    [
        (Asked(9.0, "worker-1"), Asked(11.0, "worker-2"), True),
        (Asked(9.0, ""), Asked(11.0, "worker-2"), True),
        (Asked(9.0, "worker-2"), Asked(11.0, "worker-1"), False),  # another one was killed
        (Asked(8.0, "worker-1"), Asked(9.0, "worker-2"), False),  # it was killed later
        (Asked(14.0, "worker-1"), Asked(15.0, "worker-2"), False),  # or long before
    ],
)
def test_speech_is_made_again_only_after_its_worker_was_lost(
    first: Asked, second: Asked, *, is_fine: bool
) -> None:
    assert (checks.made_once({"A text.": [first, second]}, [KILLED]) == []) is is_fine


def bucket_with(folder: Path, *names: str) -> Path:
    for name in ("documents/1", "reading/1/v1/a.json", "speech/aa/b.mp3", "speech/aa/b.json", *names):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return folder


@pytest.mark.parametrize(
    ("left", "complaint"),
    [
        ("speech/aa/c.mp3", "speech: 2, not 1"),
        ("speech/aa/c.json", "words of speech: 2, not 1"),
        ("documents/2", "documents: 2, not 1"),
        ("reading/2/v1/a.json", "readings: 2, not 1"),
        ("uploads/1", "left over: uploads/1"),
        ("things/1", "unexpected: things/1"),
    ],
)
def test_an_object_too_many_is_found(tmp_path: Path, left: str, complaint: str) -> None:
    def looked_at(bucket: Path) -> list[str]:
        return checks.objects_are_as_expected(bucket, [], texts=1, documents=1, uploads_cut=0)

    assert looked_at(bucket_with(tmp_path, "speech/aa/b.used")) == []
    assert looked_at(bucket_with(tmp_path, left)) == [complaint]


def test_a_secret_is_found_wherever_it_is(tmp_path: Path) -> None:
    planted = {"A_TOKEN": ["sentinel-one", "sentinel-two"], "A_KEY": ["sentinel-three"]}
    (tmp_path / "a.log").write_text("nothing")
    assert checks.planted_secrets_in(tmp_path, planted) == []
    (tmp_path / "broker").mkdir()
    (tmp_path / "broker" / "1.blk").write_bytes(b"\0\1sentinel-two\0")
    (tmp_path / "packed").write_bytes(gzip.compress(b"it is sentinel-three"))
    found = checks.planted_secrets_in(tmp_path, planted)
    assert sorted(found) == ["A_KEY in packed", "A_TOKEN in broker/1.blk"]


def test_open_files_that_have_become_many_are_told() -> None:
    before = {"worker-0": 30, "app-0": 30}
    assert checks.files_have_not_grown(before, {"worker-0": 60, "app-0": 30}) == []
    assert checks.files_have_not_grown(before, {"worker-0": 30, "app-0": 300}) == [
        "app-0: 30 -> 300 open files"
    ]


def test_a_traceback_is_found(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.log", tmp_path / "bad.log"
    good.write_text("all is well")
    bad.write_text("Traceback (most recent call last):")
    assert checks.tracebacks_in([good, bad]) == ["bad.log: 1 tracebacks"]


def test_a_refused_call_of_a_worker_is_found(tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    log.write_text(
        "request method=POST path=/api/internal/compute/tts-credentials request_id=1 status=200\n"
        "request method=GET path=/api/documents/1 request_id=2 status=404\n"
        "request method=POST path=/api/internal/compute/tts-credentials request_id=3 status=499\n"
    )
    assert checks.refused_calls_in([log]) == []
    log.write_text("request method=GET path=/api/internal/compute/work-policy request_id=3 status=404\n" * 2)
    assert checks.refused_calls_in([log]) == ["app.log: /api/internal/compute/work-policy 404, 2 times"]
