import random
from datetime import UTC, datetime

import pytest

from compute_worker.speech.retry import AskAgain, AskWithout, Failure, GiveUp, decide, retry_after_seconds

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def decision(failure: Failure, *, retries_left: int = 2, attempt: int = 0, fields: tuple[str, ...] = ()):
    return decide(failure, retries_left=retries_left, attempt=attempt, fields=fields, chance=random.Random(1))


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 408, None])
def test_passing_troubles_are_tried_again_with_growing_jittered_pauses(status: int | None) -> None:
    for attempt, longest in enumerate((0.5, 1, 2, 4, 8, 8)):
        match decision(Failure(status), attempt=attempt):
            case AskAgain(pause):
                assert longest / 2 <= pause <= longest
            case other:
                pytest.fail(f"{other}")


@pytest.mark.parametrize("status", [429, 503, None])
def test_no_retry_is_left_when_none_is_allowed(status: int | None) -> None:
    outcome = decision(Failure(status), retries_left=0)
    assert isinstance(outcome, GiveUp)
    assert outcome.error.retryable


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (400, "PROVIDER_REJECTED"),
        (401, "PROVIDER_UNAUTHORIZED"),
        (402, "PROVIDER_EXHAUSTED"),
        (403, "PROVIDER_UNAUTHORIZED"),
        (404, "PROVIDER_NOT_FOUND"),
        (413, "PROVIDER_REJECTED"),
        (302, "PROVIDER_REDIRECTS"),
    ],
)
def test_other_refusals_are_final(status: int, reason: str) -> None:
    outcome = decision(Failure(status))
    assert isinstance(outcome, GiveUp)
    assert outcome.error.reason == reason
    assert not outcome.error.retryable


def test_an_exhausted_account_is_not_a_busy_server() -> None:
    outcome = decision(Failure(429, "You exceeded your quota; insufficient_quota"))
    assert isinstance(outcome, GiveUp)
    assert outcome.error.reason == "PROVIDER_EXHAUSTED"


def test_a_wish_for_a_pause_is_granted_unless_it_is_too_long() -> None:
    assert decision(Failure(429, retry_after_seconds=7)) == AskAgain(7)
    outcome = decision(Failure(429, retry_after_seconds=600))
    assert isinstance(outcome, GiveUp)
    assert outcome.error.details["retry_after_seconds"] == "600"


def test_a_refused_field_is_left_out() -> None:
    sent = ("model", "input", "response_format", "speed", "language")
    assert decision(Failure(400, "Unknown parameter: 'speed'"), fields=sent) == AskWithout("speed")
    assert decision(Failure(422, "language: Extra inputs are not permitted"), fields=sent) == AskWithout(
        "language"
    )
    assert decision(Failure(422, ""), fields=sent) == AskWithout("language"), "the least important first"
    assert isinstance(decision(Failure(400, "Voice 'x' not found"), fields=sent), GiveUp)
    assert isinstance(decision(Failure(400, ""), fields=("model", "input")), GiveUp)
    assert isinstance(decision(Failure(500, "speed"), fields=sent), AskAgain)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("12", 12),
        ("1.5", 1.5),
        ("-3", 0),
        ("Fri, 02 Jan 2026 03:04:35 GMT", 30),
        ("Fri, 02 Jan 2026 03:00:00 GMT", 0),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(header, NOW) == seconds
