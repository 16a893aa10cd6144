"""What limits ask of their database: each step happens as a whole, for all app servers together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app_server.compute_limits.caller import Caller
from app_server.compute_limits.refusals import Refusal
from app_server.compute_limits.rules import ActionName, Amounts, Rules, UsageRule, WindowRule


@dataclass(frozen=True)
class Admission:
    """work names what is asked for, such as a document: it is active once, however often it is asked for."""

    action: ActionName
    caller: Caller
    work: str
    amounts: Amounts = field(default_factory=dict)
    # The same work again, as long as the ledger remembers it, is no new start.
    counts_once: bool = False


@dataclass(frozen=True)
class Charge:
    """One piece of speech that is about to be made. actions are those whose usage it adds to."""

    work: str
    attempt_id: str
    caller: Caller
    actions: tuple[ActionName, ...]
    characters: int


@dataclass(frozen=True)
class Standing:
    """How much of a limit is used; resets_at_ms is None while nothing is."""

    action: ActionName
    rule: WindowRule | UsageRule
    used: int
    resets_at_ms: int | None


class LimitLedger(Protocol):
    async def admit(self, admission: Admission, rules: Rules, *, now_ms: int) -> Refusal | None:
        """Counts the work in and lets it be active, or refuses it and counts nothing."""
        ...

    async def hold(self, admission: Admission, rules: Rules, *, now_ms: int) -> Refusal | None:
        """Work that was admitted before goes on; where its lease has lapsed it needs room again."""
        ...

    async def release(self, action: ActionName, work: str) -> None: ...

    async def charge(self, charge: Charge, rules: Sequence[UsageRule], *, now_ms: int) -> Refusal | None:
        """Once for each work and UTC day: a later attempt takes over what an earlier one was charged."""
        ...

    async def refund(self, work: str, attempt_id: str) -> None:
        """Only what this attempt was charged."""
        ...

    async def standings(self, rules: Mapping[ActionName, Rules], *, now_ms: int) -> list[Standing]: ...

    async def forget(self, subject: str) -> None: ...

    async def remove_older(self, *, than_ms: int, now_ms: int) -> int:
        """Admissions and usage from before than_ms, and lapsed leases. Returns how many rows went."""
        ...
