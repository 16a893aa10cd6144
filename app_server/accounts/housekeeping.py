"""Rows of accounts that have had their time: expired sessions and old attempts."""

import asyncio

import structlog

from app_server.accounts.sql_store import SqlAttemptStore, SqlSessionStore
from app_server.clock import Clock
from shared.errors import LecternError

_INTERVAL_SECONDS = 3600
_ATTEMPTS_KEPT_MS = 3600 * 1000
_log = structlog.get_logger(__name__)


async def keep_accounts_tidy(*, sessions: SqlSessionStore, attempts: SqlAttemptStore, clock: Clock) -> None:
    """Runs until cancelled."""
    while True:
        try:
            await sessions.remove_expired(now_ms=clock())
            await attempts.remove_older(than_ms=clock() - _ATTEMPTS_KEPT_MS)
        except LecternError as error:
            _log.warning("old sessions stay for another hour", reason=error.reason)
        await asyncio.sleep(_INTERVAL_SECONDS)
