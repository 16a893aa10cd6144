"""The site's compute limits as a worker keeps them: the latest that it heard, whatever becomes of the app."""

import asyncio
from typing import Any

import pytest
from structlog.testing import capture_logs

from compute_worker.credentials.work_policies import FAILURES_UNTIL_TOLD, REFRESH_SECONDS, WorkPolicies
from compute_worker.operations.policy import PolicyInForce, Priority
from lectern.credentials.v1.credentials_pb2_grpc import CredentialBrokerServiceServicer
from lectern.metering.v1.metering_pb2 import SpeechMetering
from lectern.policies.v1 import policies_pb2 as pb
from lectern.policies.v1.policies_pb2_grpc import WorkPolicyServiceServicer
from servers.rpc import serving_rpc
from shared.rpc.channel import open_channel

TOKEN = "broker-token-for-tests"
TRANSPORTS = pytest.mark.parametrize("transport", ["grpc", "http"])


class AppServer(WorkPolicyServiceServicer):
    def __init__(self) -> None:
        self.answer = pb.GetWorkPolicyResponse(max_executing_per_worker=2, refresh_seconds=30)
        self.answer.actions.append(
            pb.ActionPolicy(
                name="pdf_layout",
                is_limited=True,
                priority=pb.PRIORITY_BACKGROUND,
                max_queued=4,
                max_concurrent_per_worker=1,
                max_queue_age_seconds=60,
            )
        )

    async def GetWorkPolicy(self, request: pb.GetWorkPolicyRequest, context: Any) -> pb.GetWorkPolicyResponse:
        return self.answer


class Meter:
    def learn(self, metering: SpeechMetering) -> None:
        raise AssertionError("nothing was said of metering")


@TRANSPORTS
async def test_the_last_limits_hold_while_the_app_is_away_and_new_ones_when_it_is_back(transport, free_port):
    policy, app, port = PolicyInForce(), AppServer(), free_port()
    changes: list[int] = []
    policy.on_change(lambda: changes.append(policy.current.max_executing))
    async with open_channel(f"{transport}://127.0.0.1:{port}", TOKEN) as channel:
        policies = WorkPolicies(channel=channel, policy=policy, speech_meter=Meter())
        async with serving_rpc(transport, [app], token=TOKEN, port=port):
            assert await policies.refresh() == 30
        heard = policy.current
        limit = heard.of("pdf_layout")
        assert (limit.is_limited, limit.max_queued, limit.priority) == (True, 4, Priority.BACKGROUND)
        with capture_logs() as logs:
            for _ in range(FAILURES_UNTIL_TOLD + 2):
                assert await policies.refresh() == REFRESH_SECONDS
        assert policy.current is heard
        told = [entry for entry in logs if entry["log_level"] == "warning"]
        assert [entry["reason"] for entry in told] == ["SERVICE_UNREACHABLE"]  # once, not each time
        assert "stay as they were" in told[0]["event"]
        app.answer.max_executing_per_worker = 7
        async with serving_rpc(transport, [app], token=TOKEN, port=port), asyncio.timeout(20):
            while policy.current is heard:  # the channel finds the server again in its time
                with capture_logs() as logs:
                    await policies.refresh()
    assert changes == [2, 7]
    assert any("can be asked" in entry["event"] for entry in logs)


@TRANSPORTS
async def test_an_app_that_knows_no_limits_is_told_of_as_older(transport, free_port):
    policy, port = PolicyInForce(), free_port()
    shipped = policy.current
    async with (
        serving_rpc(transport, [CredentialBrokerServiceServicer()], token=TOKEN, port=port),
        open_channel(f"{transport}://127.0.0.1:{port}", TOKEN) as channel,
    ):
        policies = WorkPolicies(channel=channel, policy=policy, speech_meter=Meter())
        with capture_logs() as logs:
            for _ in range(FAILURES_UNTIL_TOLD):
                await policies.refresh()
    assert policy.current is shipped
    assert ["use one version" in entry["event"] for entry in logs if entry["log_level"] == "warning"] == [
        True
    ]
