"""Removes guests who can't come back."""

import asyncio
from typing import Final

import structlog

from app_server.guests.service import StaleGuests
from shared.errors import LecternError

_INTERVAL_SECONDS: Final = 3600
_log = structlog.get_logger(__name__)


async def keep_guests_tidy(guests: StaleGuests) -> None:
    """Runs until cancelled."""
    while True:
        try:
            await guests.remove()
        except LecternError as error:
            _log.info("guests who are gone stay for another hour", reason=error.reason)
        await asyncio.sleep(_INTERVAL_SECONDS)
