"""What somebody is told whose work a limit refuses: which limit, and when it lets them on."""

from dataclasses import dataclass
from typing import Final

from app_server.clock import iso_time
from app_server.compute_limits.rules import ActionName, ActiveRule, UsageRule, WindowRule
from app_server.http.problems import RESETS_AT, RETRY_AFTER
from shared.errors import Code, LecternError

# For the addresses that may answer them.
LIMIT_PROBLEMS: Final = ("ACTIVE_LIMIT_REACHED", "RATE_LIMIT_REACHED", "SITE_BUSY", "USAGE_LIMIT_REACHED")
RESETS_AT_MS: Final = "resets_at_ms"


@dataclass(frozen=True)
class _Words:
    """doing as in "You have started ... 12 times"; one and many as in "You have 2 ... already"."""

    doing: str
    one: str
    many: str

    def running(self, count: int) -> str:
        return self.one if count == 1 else self.many


_WORDS: Final[dict[ActionName, _Words]] = {
    "pdf_layout": _Words("opening PDF files", "PDF file being opened", "PDF files being opened"),
    "tts_playback": _Words("listening", "document playing", "documents playing"),
    "tts_playback_document": _Words(
        "speaking whole documents ahead", "document being spoken ahead", "documents being spoken ahead"
    ),
    "tts_playback_plan": _Words(
        "preparing documents for listening", "document being prepared", "documents being prepared"
    ),
    "tts_playback_export": _Words("making audiobooks", "audiobook being made", "audiobooks being made"),
    "document_preview": _Words("opening files", "file being opened", "files being opened"),
    "document_conversion": _Words("converting files", "file being converted", "files being converted"),
    "account_export": _Words("exporting data", "export being made", "exports being made"),
    "tts_synthesis": _Words("new speech", "passage being spoken", "passages being spoken"),
}
_OF_METRIC: Final = {"characters": "characters", "input_bytes": "bytes", "files": "files"}


@dataclass(frozen=True)
class Refusal:
    action: ActionName
    rule: WindowRule | ActiveRule | UsageRule
    resets_at_ms: int


def doing(action: ActionName) -> str:
    """For people, such as "new speech"."""
    return _WORDS[action].doing


def latest(refusals: list[Refusal]) -> Refusal | None:
    """The one that keeps the caller longest."""
    return max(refusals, key=lambda refusal: refusal.resets_at_ms, default=None)


def refused(refusal: Refusal, *, now_ms: int) -> LecternError:
    seconds = max(1, -(-(refusal.resets_at_ms - now_ms) // 1000))
    reason, message = _words(refusal, _duration(seconds))
    return LecternError(
        Code.RESOURCE_EXHAUSTED,
        message,
        reason=reason,
        details={
            RETRY_AFTER: str(seconds),
            RESETS_AT: iso_time(refusal.resets_at_ms),
            RESETS_AT_MS: str(refusal.resets_at_ms),
        },
    )


def _words(refusal: Refusal, wait: str) -> tuple[str, str]:
    rule, words = refusal.rule, _WORDS[refusal.action]
    if isinstance(rule, WindowRule):
        return "RATE_LIMIT_REACHED", (
            f"{_WHO_HAS[rule.scope]} started {words.doing} {_times(rule.limit)} in "
            f"{_duration(rule.period_ms // 1000)}, as often as this site allows. Try again in {wait}."
        )
    if isinstance(rule, ActiveRule):
        if rule.subject is None:
            return "SITE_BUSY", f"This site is as busy with {words.doing} as it may be. Try again in {wait}."
        return "ACTIVE_LIMIT_REACHED", (
            f"You have {rule.limit} {words.running(rule.limit)} already, as many as this site allows at "
            f"once. Wait for one to end or stop it; the limit is lifted in {wait} at the latest."
        )
    plays = " What was spoken before still plays." if refusal.action == "tts_synthesis" else ""
    return "USAGE_LIMIT_REACHED", (
        f"{_WHOSE[rule.scope]} allowance for today is used up: {rule.limit:,} {_OF_METRIC[rule.metric]} for "
        f"{words.doing}.{plays} It starts anew at midnight UTC, in {wait}."
    )


_WHO_HAS: Final = {
    "user": "You have",
    "anonymous_device": "This device has",
    "ip": "Your network has",
    "site": "Everybody here together has",
}
_WHOSE: Final = {
    "user": "Your",
    "anonymous_device": "This device's",
    "ip": "Your network's",
    "site": "This site's",
}


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _duration(seconds: int) -> str:
    for unit_seconds, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= 2 * unit_seconds or seconds == unit_seconds:
            count = -(-seconds // unit_seconds)
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return f"{seconds} second{'s' if seconds > 1 else ''}"
