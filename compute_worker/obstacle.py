"""What keeps a worker from something that it needs: told in the log every so often, and to whoever asks."""

from collections.abc import Callable
from time import monotonic
from typing import Final

import structlog

FIRST_TOLD_SECONDS: Final = 5.0  # what starts beside us is there by then
TOLD_AGAIN_SECONDS: Final = 30.0

log = structlog.get_logger(__name__)


class Obstacle:
    """While something is waited for that may still come. No message holds a secret."""

    def __init__(
        self, message: str, *, cause: str = "no answer", clock: Callable[[], float] = monotonic
    ) -> None:
        self.message = message
        self.cause = cause
        self._clock = clock
        self._tell_at = clock() + FIRST_TOLD_SECONDS
        self._was_told = False

    def note(self, message: str, *, cause: str) -> None:
        """message: for an operator, with what to do; cause: a few words that anybody may see."""
        self.message, self.cause = message, cause
        self.tell_if_due()

    def tell_if_due(self) -> None:
        if self._clock() >= self._tell_at:
            self._tell_at = self._clock() + TOLD_AGAIN_SECONDS
            self._was_told = True
            log.warning("Still trying: %s", self.message)

    def is_gone(self, happy: str) -> None:
        """happy is said to who has read of the obstacle."""
        if self._was_told:
            log.info(happy)
