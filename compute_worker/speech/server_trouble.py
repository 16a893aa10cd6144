"""The trouble that `lectern speech-server` makes on purpose, so that clients can be tested against it."""

import random
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compute_worker.speech.server_options import ServerOptions

_MINUTE = 60.0


@dataclass(frozen=True)
class Refusal:
    status: int
    message: str
    retry_after_seconds: int | None = None
    param: str | None = None


class Trouble:
    """Counts every call, also those it refuses."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._chance = random.Random(options.seed)  # noqa: S311 - repeatable on purpose
        self._calls = 0
        self._accepted_at: deque[float] = deque()
        self.asked: Counter[str] = Counter()
        self.spoken: Counter[str] = Counter()

    def judge(self, fields: Mapping[str, Any], now: float) -> Refusal | None:
        self._calls += 1
        self.asked[str(fields.get("input", ""))] += 1
        if self._calls <= self._options.fail_first:
            return Refusal(503, "failing on purpose (--fail-first)")
        if self._options.fail_rate and self._chance.random() < self._options.fail_rate:
            return Refusal(503, "failing on purpose (--fail-rate)")
        for name in self._options.rejected_fields:
            if name in fields:
                return Refusal(400, f"Unknown parameter: '{name}'.", param=name)
        return self._limit_rate(now)

    def statistics(self) -> dict[str, Any]:
        return {"calls": self._calls, "asked": dict(self.asked), "spoken": dict(self.spoken)}

    def _limit_rate(self, now: float) -> Refusal | None:
        if not self._options.rate_limit:
            return None
        while self._accepted_at and self._accepted_at[0] <= now - _MINUTE:
            self._accepted_at.popleft()
        if len(self._accepted_at) >= self._options.rate_limit:
            pause = int(self._accepted_at[0] + _MINUTE - now) + 1
            return Refusal(429, "Rate limit reached.", retry_after_seconds=pause)
        self._accepted_at.append(now)
        return None
