"""Characters of new speech, charged before they are spoken: once for each segment that is made."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import structlog

from app_server.clock import Clock
from app_server.compute_limits.caller import Caller, caller_of
from app_server.compute_limits.ports import Charge, LimitLedger
from app_server.compute_limits.refusals import refused
from app_server.compute_limits.rules import ActionName, UsageRule, policy_of, rules_for
from app_server.site_features.ports import FeatureReader
from shared.errors import Code, LecternError

# Playing speaks new speech: its own allowances count it as well.
_PLAYING: Final[tuple[ActionName, ...]] = ("tts_synthesis", "tts_playback")
_PREVIEWING: Final[tuple[ActionName, ...]] = ("tts_synthesis",)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Metering:
    """Whether speech has to be charged, and after how long to ask again."""

    is_on: bool
    refresh_seconds: int


class SpeechMeter:
    def __init__(self, *, ledger: LimitLedger, features: FeatureReader, clock: Clock) -> None:
        self._ledger = ledger
        self._features = features
        self._clock = clock

    async def metering(self) -> Metering:
        policies = (await self._features.current()).compute_limit_policies
        is_on = any(policy_of(policies, name).counts_usage for name in _PLAYING)
        return Metering(is_on, policies.worker.policy_refresh_seconds)

    async def charge(self, account: str, *, segment: str, attempt_id: str, characters: int) -> None:
        """account is account_of the listener. Raises RESOURCE_EXHAUSTED, and INVALID_ARGUMENT for an account
        that isn't one."""
        caller = caller_of(account)
        if caller is None:
            raise LecternError(
                Code.INVALID_ARGUMENT, "Nobody can be charged for this speech.", reason="ACCOUNT_INVALID"
            )
        await self._charge(caller, _PLAYING, segment, attempt_id, characters)

    async def refund(self, *, segment: str, attempt_id: str) -> None:
        """Nothing came of the attempt."""
        await self._ledger.refund(segment, attempt_id)

    @asynccontextmanager
    async def charged_preview(self, caller: Caller, characters: int) -> AsyncIterator[None]:
        """For speech that is made within the block; taken back when it fails. Raises RESOURCE_EXHAUSTED."""
        work, attempt_id = f"preview:{secrets.token_hex(16)}", secrets.token_hex(16)
        is_charged = await self._charge(caller, _PREVIEWING, work, attempt_id, characters)
        try:
            yield
        except LecternError:
            if is_charged:
                await self._refund_quietly(work, attempt_id)
            raise

    async def _charge(
        self, caller: Caller, actions: tuple[ActionName, ...], work: str, attempt_id: str, characters: int
    ) -> bool:
        policies = (await self._features.current()).compute_limit_policies
        counted = tuple(name for name in actions if policy_of(policies, name).counts_usage)
        if not counted:
            return False
        rules = [found for name in counted if (found := rules_for(policies, name, caller))]
        usage: tuple[UsageRule, ...] = sum((found.usage for found in rules), ())
        charge = Charge(work, attempt_id, caller, counted, characters)
        now_ms = self._clock()
        refusal = await self._ledger.charge(charge, usage, now_ms=now_ms)
        if refusal is not None:
            raise refused(refusal, now_ms=now_ms)
        return True

    async def _refund_quietly(self, work: str, attempt_id: str) -> None:
        try:
            await self._ledger.refund(work, attempt_id)
        except LecternError as error:
            _log.warning("a failed preview stays charged", reason=error.reason)
