"""The limits that concern one caller and one action, taken out of the policy document. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from app_server.compute_limits.arithmetic import Boundary
from app_server.compute_limits.caller import Caller
from app_server.compute_limits.model import Action, ComputeLimitPolicies, MeteredAction, Scope

ActionName = Literal[
    "pdf_layout",
    "tts_playback",
    "tts_playback_document",
    "tts_playback_plan",
    "tts_playback_export",
    "document_preview",
    "document_conversion",
    "account_export",
    "tts_synthesis",
]
ACTION_NAMES: tuple[ActionName, ...] = get_args(ActionName)
Metric = Literal["characters", "input_bytes", "files"]


@dataclass(frozen=True)
class WindowRule:
    scope: Scope
    subject: str
    limit: int
    period_ms: int


@dataclass(frozen=True)
class ActiveRule:
    scope: Scope
    # None: everybody's work counts.
    subject: str | None
    limit: int
    lease_ms: int


@dataclass(frozen=True)
class UsageRule:
    action: ActionName
    scope: Scope
    subject: str
    metric: Metric
    limit: int
    boundary: Boundary


@dataclass(frozen=True)
class Rules:
    windows: tuple[WindowRule, ...] = ()
    active: tuple[ActiveRule, ...] = ()
    usage: tuple[UsageRule, ...] = ()

    @property
    def lease_ms(self) -> int | None:
        """How long active work counts after its last sign of life; None where none is counted."""
        return max((rule.lease_ms for rule in self.active), default=None)


def policy_of(policies: ComputeLimitPolicies, action: ActionName) -> Action | MeteredAction:
    found: Action | MeteredAction = getattr(policies.actions, action)
    return found


def rules_for(policies: ComputeLimitPolicies, action: ActionName, caller: Caller) -> Rules | None:
    """None while the action isn't limited at all."""
    policy = policy_of(policies, action)
    if not policy.enabled:
        return None
    usage = _usage(policy, action, caller)
    if policy.admission is None:
        return Rules(usage=usage)
    return Rules(
        windows=tuple(
            WindowRule(window.scope, subject, window.limit, window.window_seconds * 1000)
            for window in policy.admission.windows
            if (subject := caller.subject(window.scope)) is not None
        ),
        active=tuple(
            ActiveRule(
                active.scope,
                caller.subject("user") if active.scope == "user" else None,
                active.limit,
                active.lease_seconds * 1000,
            )
            for active in policy.admission.active
        ),
        usage=usage,
    )


def _usage(policy: Action | MeteredAction, action: ActionName, caller: Caller) -> tuple[UsageRule, ...]:
    return tuple(
        UsageRule(action, rule.scope, subject, rule.metric, rule.limit, rule.boundary)
        for rule in policy.usage
        if caller.belongs_to(rule.audience) and (subject := caller.subject(rule.scope)) is not None
    )


Amounts = Mapping[Metric, int]
