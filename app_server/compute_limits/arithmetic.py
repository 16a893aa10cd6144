"""When one more fits under a limit, and when it will again. Times are milliseconds since 1970."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, Literal

_DAY_MS: Final = 24 * 3600 * 1000

Boundary = Literal["strict", "soft_unit"]


def window_opens_at_ms(admissions: Sequence[int], *, limit: int, period_ms: int, now_ms: int) -> int | None:
    """admissions oldest first. None when fewer than limit lie within the last period, else when one fits."""
    recent = [at_ms for at_ms in admissions if at_ms > now_ms - period_ms]
    return None if len(recent) < limit else recent[-limit] + period_ms


def lease_frees_at_ms(expiries: Sequence[int], *, limit: int, now_ms: int) -> int | None:
    """expiries of other work, in any order. None when one more is allowed, else when enough have lapsed."""
    running = sorted(at_ms for at_ms in expiries if at_ms > now_ms)
    return None if len(running) < limit else running[len(running) - limit]


def fits(*, used: int, amount: int, limit: int, boundary: Boundary) -> bool:
    """soft_unit lets the piece that crosses the limit through, strict doesn't."""
    return used < limit if boundary == "soft_unit" else used + amount <= limit


def utc_day(now_ms: int) -> str:
    return datetime.fromtimestamp(now_ms / 1000, tz=UTC).date().isoformat()


def next_utc_day_ms(now_ms: int) -> int:
    return (now_ms // _DAY_MS + 1) * _DAY_MS
