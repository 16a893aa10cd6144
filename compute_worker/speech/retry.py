"""What to do about a failed request to a provider, as a value: no I/O, no waiting."""

import email.utils
import random
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from shared.errors import Code, LecternError

_FIRST_BACK_OFF_SECONDS = 0.5
_LONGEST_BACK_OFF_SECONDS = 8.0
LONGEST_PAUSE_SECONDS = 30.0  # a provider that wants a longer rest is reported instead of waited for
_OPTIONAL_FIELDS = ("language", "instructions", "speed", "response_format")  # in the order they are given up
_EXHAUSTED_WORDS = ("insufficient_quota", "billing", "credit", "payment")
_UNAUTHORIZED = (
    Code.FAILED_PRECONDITION,
    "The speech provider refused the API key.",
    "PROVIDER_UNAUTHORIZED",
    False,
)
_BY_STATUS = {
    401: _UNAUTHORIZED,
    403: _UNAUTHORIZED,
    402: (
        Code.FAILED_PRECONDITION,
        "The account at the speech provider is used up.",
        "PROVIDER_EXHAUSTED",
        False,
    ),
    404: (
        Code.FAILED_PRECONDITION,
        "The speech provider does not know this address, model or voice.",
        "PROVIDER_NOT_FOUND",
        False,
    ),
    429: (Code.RESOURCE_EXHAUSTED, "The speech provider is busy.", "PROVIDER_RATE_LIMITED", True),
}
_NO_ANSWER = {
    False: (Code.UNAVAILABLE, "The speech provider cannot be reached.", "PROVIDER_UNREACHABLE", True),
    True: (
        Code.DEADLINE_EXCEEDED,
        "The speech provider did not answer in time.",
        "PROVIDER_TIMEOUT",
        True,
    ),
}


@dataclass(frozen=True)
class Failure:
    """status None: no answer came; is_timeout tells why."""

    status: int | None
    excerpt: str = ""
    retry_after_seconds: float | None = None
    is_timeout: bool = False


@dataclass(frozen=True)
class AskAgain:
    after_seconds: float


@dataclass(frozen=True)
class AskWithout:
    field: str


@dataclass(frozen=True)
class GiveUp:
    error: LecternError


def decide(
    failure: Failure, *, retries_left: int, attempt: int, fields: Collection[str], chance: random.Random
) -> AskAgain | AskWithout | GiveUp:
    if failure.status in (400, 422) and (unwanted := _unwanted_field(failure.excerpt, fields)):
        return AskWithout(unwanted)
    error = error_of(failure)
    if not error.retryable or retries_left <= 0:
        return GiveUp(error)
    pause = failure.retry_after_seconds
    if pause is None:
        longest = min(_LONGEST_BACK_OFF_SECONDS, _FIRST_BACK_OFF_SECONDS * 2**attempt)
        pause = chance.uniform(longest / 2, longest)
    return AskAgain(pause) if pause <= LONGEST_PAUSE_SECONDS else GiveUp(error)


def error_of(failure: Failure) -> LecternError:
    said = f" It said: {failure.excerpt}" if failure.excerpt else ""
    details = {"status": str(failure.status)} if failure.status else {}
    if failure.retry_after_seconds is not None:
        details["retry_after_seconds"] = f"{failure.retry_after_seconds:.0f}"
    code, message, reason, retryable = _describe(failure)
    return LecternError(code, message + said, reason=reason, details=details, retryable=retryable)


def retry_after_seconds(header: str | None, now: datetime | None = None) -> float | None:
    """RFC 9110: seconds or a date; None for anything else."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        moment = email.utils.parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _describe(failure: Failure) -> tuple[Code, str, str, bool]:
    status = failure.status
    if status is None:
        return _NO_ANSWER[failure.is_timeout]
    is_exhausted = any(word in failure.excerpt.lower() for word in _EXHAUSTED_WORDS)
    if status == 429 and is_exhausted:
        status = 402
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if 300 <= status < 400:
        message = "The speech provider redirects elsewhere; enter its final address."
        return Code.FAILED_PRECONDITION, message, "PROVIDER_REDIRECTS", False
    if status >= 500 or status in (408, 425):
        return Code.UNAVAILABLE, f"The speech provider fails (HTTP {status}).", "PROVIDER_FAILING", True
    message = f"The speech provider rejected the request (HTTP {status})."
    return Code.INVALID_ARGUMENT, message, "PROVIDER_REJECTED", False


def _unwanted_field(excerpt: str, fields: Collection[str]) -> str | None:
    """The optional field the answer names; if it names none, the least important one that was sent."""
    sent = [name for name in _OPTIONAL_FIELDS if name in fields]
    named = [name for name in sent if name in excerpt.lower()]
    if named:
        return named[0]
    if any(word in excerpt.lower() for word in ("voice", "model", "input")):
        return None
    return sent[0] if sent else None
