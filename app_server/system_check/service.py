"""Every check at once, each with a limit of its own; one that hangs or breaks spoils no other."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from app_server.system_check.model import Check, Finding, Item, error
from shared.errors import LecternError

_LIMIT_SECONDS: Final = 4.0
_log = structlog.get_logger(__name__)


class SystemCheck:
    def __init__(
        self, *, checks: Callable[[], Sequence[Check]], limit_seconds: float = _LIMIT_SECONDS
    ) -> None:
        """checks makes them anew for every run: several may share what they found out."""
        self._checks = checks
        self._limit_seconds = limit_seconds

    async def run(self) -> list[Item]:
        return list(await asyncio.gather(*map(self._item, self._checks())))

    async def _item(self, check: Check) -> Item:
        return Item(check.id, check.label, await self._finding(check))

    async def _finding(self, check: Check) -> Finding:
        try:
            async with asyncio.timeout(self._limit_seconds):
                return await check.look()
        except TimeoutError:
            return error(f"No answer within {self._limit_seconds:g} s.", check.fix)
        except LecternError as failure:
            return error(failure.message, check.fix)
        except Exception:  # noqa: BLE001  # a part may fail in any way; its text may hold a password
            _log.warning("a system check failed", check=check.id, exc_info=True)
            return error("The check failed; the log has the details.", check.fix)
