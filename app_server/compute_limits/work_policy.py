"""What the policies ask of workers, which have no database to read them from."""

from typing import Final

from app_server.compute_limits.model import ComputeLimitPolicies, Execution
from app_server.compute_limits.rules import ACTION_NAMES, ActionName, policy_of
from lectern.policies.v1 import policies_pb2 as pb

# However long the policy lets workers wait: a change reaches every process within 15 s, and every app server
# within 10 of them.
_LONGEST_REFRESH_SECONDS: Final = 5
# The app server makes exports of accounts itself, and nothing makes audiobooks yet.
_NOT_OF_WORKERS: Final[frozenset[ActionName]] = frozenset({"account_export", "tts_playback_export"})
_PRIORITIES: Final = {
    "interactive": pb.PRIORITY_INTERACTIVE,
    "foreground": pb.PRIORITY_FOREGROUND,
    "background": pb.PRIORITY_BACKGROUND,
}


def work_policy_to_proto(policies: ComputeLimitPolicies) -> pb.GetWorkPolicyResponse:
    """Without actions that are only a part of others, and those that are no work of workers."""
    resources = policies.worker.resources.model_dump()
    answer = pb.GetWorkPolicyResponse(
        max_executing_per_worker=policies.worker.max_executing_per_worker,
        resources=[pb.ResourceLimit(name=name, limit=limit) for name, limit in resources.items()],
        refresh_seconds=min(policies.worker.policy_refresh_seconds, _LONGEST_REFRESH_SECONDS),
    )
    for name in ACTION_NAMES:
        action = policy_of(policies, name)
        if action.execution is not None and name not in _NOT_OF_WORKERS:
            answer.actions.append(_action(name, action.execution, is_limited=action.enabled))
    return answer


def _action(name: ActionName, execution: Execution, *, is_limited: bool) -> pb.ActionPolicy:
    return pb.ActionPolicy(
        name=name,
        is_limited=is_limited,
        priority=_PRIORITIES[execution.priority],
        max_queued=execution.max_queued,
        max_concurrent_per_worker=execution.max_concurrent_per_worker,
        max_queue_age_seconds=execution.max_queue_age_seconds,
        resources=execution.resources,
    )
