"""Asks before work begins whether the limits allow it. Costs nothing while an action isn't limited."""

import hashlib
from typing import Final

from app_server.clock import Clock
from app_server.compute_limits.caller import Caller
from app_server.compute_limits.ports import Admission, LimitLedger, Standing
from app_server.compute_limits.refusals import Refusal, refused
from app_server.compute_limits.rules import ACTION_NAMES, ActionName, Amounts, Rules, policy_of, rules_for
from app_server.site_features.ports import FeatureReader

_RENEWED_AT_MOST_EVERY_MS: Final = 60_000
# A short lease is renewed in good time too.
_RENEWALS_IN_A_LEASE: Final = 4
_REMEMBERED_LEASES: Final = 10_000


class LimitService:
    def __init__(self, *, ledger: LimitLedger, features: FeatureReader, clock: Clock) -> None:
        self._ledger = ledger
        self._features = features
        self._clock = clock
        # When each lease was last written by this app server, so that progress is no row a second.
        self._renewed_at_ms: dict[tuple[ActionName, str], int] = {}

    async def admit(
        self,
        action: ActionName,
        caller: Caller,
        *,
        work: str,
        amounts: Amounts | None = None,
        counts_once: bool = False,
    ) -> None:
        """work names what is to be done; the same work is active once. With counts_once it is no new start
        when it comes again. Raises RESOURCE_EXHAUSTED."""
        rules = await self._rules(action, caller)
        if rules is None:
            return
        admission = Admission(action, caller, work_id(work), amounts or {}, counts_once=counts_once)
        now_ms = self._clock()
        self._check(await self._ledger.admit(admission, rules, now_ms=now_ms))
        self._remember(admission, now_ms)

    async def hold(self, action: ActionName, caller: Caller, *, work: str) -> None:
        """Admitted work goes on. Raises RESOURCE_EXHAUSTED when it had stopped and finds no room again."""
        rules = await self._rules(action, caller)
        if rules is None or rules.lease_ms is None:
            return
        admission, now_ms = Admission(action, caller, work_id(work)), self._clock()
        every_ms = min(_RENEWED_AT_MOST_EVERY_MS, rules.lease_ms // _RENEWALS_IN_A_LEASE)
        renewed_at_ms = self._renewed_at_ms.get((action, admission.work))
        if renewed_at_ms is not None and now_ms - renewed_at_ms < every_ms:
            return
        self._check(await self._ledger.hold(admission, rules, now_ms=now_ms))
        self._remember(admission, now_ms)

    async def release(self, action: ActionName, *, work: str) -> None:
        """The work has ended, or rests."""
        if not await self._is_limited(action):
            return
        self._renewed_at_ms.pop((action, work_id(work)), None)
        await self._ledger.release(action, work_id(work))

    async def standings(self, caller: Caller) -> list[Standing]:
        """How much of every limit that concerns the caller is used. What everybody together used is nobody's
        business."""
        rules = {name: found for name in ACTION_NAMES if (found := await self._rules(name, caller))}
        if not rules:
            return []
        standings = await self._ledger.standings(rules, now_ms=self._clock())
        return [standing for standing in standings if standing.rule.scope != "site"]

    async def forget_user(self, user_id: str) -> None:
        """For an account that is being deleted."""
        await self._ledger.forget(f"user:{user_id}")

    async def _rules(self, action: ActionName, caller: Caller) -> Rules | None:
        features = await self._features.current()
        return rules_for(features.compute_limit_policies, action, caller)

    async def _is_limited(self, action: ActionName) -> bool:
        return policy_of((await self._features.current()).compute_limit_policies, action).enabled

    def _remember(self, admission: Admission, now_ms: int) -> None:
        if len(self._renewed_at_ms) >= _REMEMBERED_LEASES:
            self._renewed_at_ms.clear()
        self._renewed_at_ms[(admission.action, admission.work)] = now_ms

    def _check(self, refusal: Refusal | None) -> None:
        if refusal is not None:
            raise refused(refusal, now_ms=self._clock())


def work_id(work: str) -> str:
    """Of one length, whatever work is called."""
    return hashlib.sha256(work.encode()).hexdigest()
