"""SpeechMeterService charges new speech to its listener, WorkPolicyService tells workers the policies."""

from typing import Any

from app_server.compute_limits.speech_meter import Metering, SpeechMeter
from app_server.compute_limits.work_policy import work_policy_to_proto
from app_server.site_features.ports import FeatureReader
from lectern.metering.v1 import metering_pb2 as pb
from lectern.metering.v1.metering_pb2_grpc import SpeechMeterServiceServicer
from lectern.policies.v1 import policies_pb2
from lectern.policies.v1.policies_pb2_grpc import WorkPolicyServiceServicer
from shared.errors import Code, LecternError

_MOST_SECONDS = 2**31 - 1  # an int32


class SpeechMeterServicer(SpeechMeterServiceServicer):
    def __init__(self, *, meter: SpeechMeter) -> None:
        self._meter = meter

    async def ChargeSpeech(self, request: pb.ChargeSpeechRequest, context: Any) -> pb.ChargeSpeechResponse:
        _require(request.segment_key, "segment_key", 64)
        _require(request.attempt_id, "attempt_id", 32)
        if request.characters < 1:
            raise _invalid("characters", "must be 1 or more")
        await self._meter.charge(
            request.usage_account,
            segment=request.segment_key,
            attempt_id=request.attempt_id,
            characters=request.characters,
        )
        return pb.ChargeSpeechResponse(speech_metering=metering_to_proto(await self._meter.metering()))

    async def RefundSpeech(self, request: pb.RefundSpeechRequest, context: Any) -> pb.RefundSpeechResponse:
        _require(request.segment_key, "segment_key", 64)
        _require(request.attempt_id, "attempt_id", 32)
        await self._meter.refund(segment=request.segment_key, attempt_id=request.attempt_id)
        return pb.RefundSpeechResponse()


class WorkPolicyServicer(WorkPolicyServiceServicer):
    def __init__(self, *, features: FeatureReader, meter: SpeechMeter) -> None:
        self._features = features
        self._meter = meter

    async def GetWorkPolicy(
        self, request: policies_pb2.GetWorkPolicyRequest, context: Any
    ) -> policies_pb2.GetWorkPolicyResponse:
        answer = work_policy_to_proto((await self._features.current()).compute_limit_policies)
        answer.speech_metering.CopyFrom(metering_to_proto(await self._meter.metering()))
        return answer


def metering_to_proto(metering: Metering) -> pb.SpeechMetering:
    return pb.SpeechMetering(
        is_on=metering.is_on, refresh_seconds=min(metering.refresh_seconds, _MOST_SECONDS)
    )


def _require(text: str, field: str, longest: int) -> None:
    # No NUL: PostgreSQL stores none.
    if not text or len(text) > longest or "\0" in text:
        raise _invalid(field, f"must have 1 to {longest} characters")


def _invalid(field: str, rule: str) -> LecternError:
    return LecternError(
        Code.INVALID_ARGUMENT, f"{field} {rule}.", reason="CHARGE_INVALID", details={"field": field}
    )
