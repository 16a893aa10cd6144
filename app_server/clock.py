"""What time it is, as the services are given it: a function, so that tests can turn the clock."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

# Milliseconds since 1970, UTC: how every time is kept in the database.
Clock = Callable[[], int]


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def iso_time(time_ms: int) -> str:
    """RFC 3339 in UTC with milliseconds, as the browser API shows times."""
    moment = datetime.fromtimestamp(time_ms / 1000, tz=UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
