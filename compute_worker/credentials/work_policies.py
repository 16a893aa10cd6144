"""Keeps a worker informed of the site's compute limits: asks the app server every few seconds."""

import asyncio
from typing import Any, Final

import structlog

from compute_worker.credentials.ports import MeteredSpeech
from compute_worker.operations.policy import ActionPolicy, PolicyInForce, Priority, WorkPolicy
from lectern.policies.v1 import policies_pb2 as pb
from lectern.policies.v1.policies_pb2_grpc import WorkPolicyServiceStub
from shared.errors import Code, LecternError

REFRESH_SECONDS: Final = 5.0  # while the app server hasn't said how often
TIMEOUT_SECONDS: Final = 5.0
FAILURES_UNTIL_TOLD: Final = 3  # an app server that starts beside us may come later
_NOT_ASKED: Final = "compute limits stay as they were last heard: the app server can't be asked"
_TOO_OLD: Final = "compute limits don't reach this worker: the app server is older; use one version"
_PRIORITIES: Final = {
    pb.PRIORITY_INTERACTIVE: Priority.INTERACTIVE,
    pb.PRIORITY_FOREGROUND: Priority.FOREGROUND,
    pb.PRIORITY_BACKGROUND: Priority.BACKGROUND,
}

log = structlog.get_logger(__name__)


class WorkPolicies:
    def __init__(
        self,
        *,
        channel: Any,  # a grpc or gateway channel to the app server
        policy: PolicyInForce,
        speech_meter: MeteredSpeech,
    ) -> None:
        """speech_meter is told whether speech is to be charged, which comes with every answer."""
        self._stub = WorkPolicyServiceStub(channel)
        self._policy = policy
        self._speech_meter = speech_meter
        self._failures = 0  # in a row

    async def keep_fresh(self) -> None:
        """Runs until cancelled."""
        while True:
            pause_seconds = await self.refresh()
            await asyncio.sleep(pause_seconds)

    async def refresh(self) -> float:
        """Seconds until it should be asked for again. A failure is no reason to stop working."""
        try:
            answer = await self._stub.GetWorkPolicy(pb.GetWorkPolicyRequest(), timeout=TIMEOUT_SECONDS)
        except LecternError as error:
            self._note(error)
            return REFRESH_SECONDS
        self._note(None)
        if answer.HasField("speech_metering"):
            self._speech_meter.learn(answer.speech_metering)
        if self._policy.learn(policy_of(answer)):
            limited = [one.name for one in answer.actions if one.is_limited]
            log.info("compute limits in force", limited=limited)
        return float(answer.refresh_seconds or REFRESH_SECONDS)

    def _note(self, error: LecternError | None) -> None:
        if error is None:
            if self._failures >= FAILURES_UNTIL_TOLD:
                log.info("the app server can be asked for compute limits again")
            self._failures = 0
            return
        self._failures += 1
        if self._failures == FAILURES_UNTIL_TOLD:
            log.warning(_TOO_OLD if error.code is Code.UNIMPLEMENTED else _NOT_ASKED, reason=error.reason)


def policy_of(answer: pb.GetWorkPolicyResponse) -> WorkPolicy:
    return WorkPolicy(
        actions={one.name: _action(one) for one in answer.actions},
        max_executing=max(answer.max_executing_per_worker, 1),
        resources={one.name: max(one.limit, 1) for one in answer.resources},
    )


def _action(one: pb.ActionPolicy) -> ActionPolicy:
    return ActionPolicy(
        priority=_PRIORITIES.get(one.priority, Priority.FOREGROUND),  # of a newer app server: in the middle
        is_limited=one.is_limited,
        max_queued=max(one.max_queued, 1),
        max_concurrent=max(one.max_concurrent_per_worker, 1),
        max_queue_age_seconds=max(one.max_queue_age_seconds, 1),
        resources=tuple(one.resources),
    )
