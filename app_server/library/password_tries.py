"""How often a password may be tried on a locked document. Counted in the database, over all app servers."""

import hashlib
from typing import Final

from app_server.accounts.ports import AttemptStore, Window
from app_server.accounts.rate_limits import too_many_attempts
from app_server.clock import Clock

_MINUTE_MS: Final = 60_000
# Each try is a job for a worker, and its answer tells whether the password was right.
_WINDOWS: Final = (Window(5, _MINUTE_MS), Window(30, 60 * _MINUTE_MS))


class PasswordTries:
    def __init__(self, *, store: AttemptStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def admit(self, user_id: str, document_id: str) -> None:
        """Raises RESOURCE_EXHAUSTED when this person has tried too often on this document."""
        subject = hashlib.sha256(f"document-password\0{user_id}\0{document_id}".encode()).hexdigest()
        wait_ms = await self._store.admit(subject, _WINDOWS, now_ms=self._clock())
        if wait_ms is not None:
            raise too_many_attempts(wait_ms)
