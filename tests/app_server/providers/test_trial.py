"""What a test of a provider advises for each way in which it fails."""

from dataclasses import dataclass
from typing import Any

import pytest

from app_server.providers.model import Provider, ProviderType
from app_server.providers.trial import ProviderTrial, StepStatus
from lectern.compute.v1 import speech_pb2 as pb
from shared.errors import Code, LecternError


@dataclass
class Speech:
    """Lists one voice and speaks, or fails as it is told."""

    listing: LecternError | None = None
    speaking: LecternError | None = None

    async def ListVoices(self, request: pb.ListVoicesRequest, **_: Any) -> pb.ListVoicesResponse:
        if self.listing:
            raise self.listing
        return pb.ListVoicesResponse(voices=[pb.Voice(voice_id="v", name="Vera")], default_voice="v")

    async def SynthesizePreview(self, request: Any, **_: Any) -> pb.SynthesizePreviewResponse:
        if self.speaking:
            raise self.speaking
        return pb.SynthesizePreviewResponse(audio=bytes(8000))


@dataclass
class Worker:
    speech: Speech


def provider(base_url: str) -> Provider:
    return Provider("i", "home", "Home", ProviderType.CUSTOM_OPENAI, base_url, None, "kokoro", "", True)


async def trial(base_url: str = "http://speech.example/v1", **failures: LecternError):
    return await ProviderTrial(worker=Worker(Speech(**failures))).run(provider(base_url))


def failure(reason: str, code: Code = Code.FAILED_PRECONDITION) -> LecternError:
    return LecternError(code, "What was said.", reason=reason)


OK, ERROR, SKIPPED = StepStatus.OK, StepStatus.ERROR, StepStatus.SKIPPED
NOT_REACHED, NOT_LISTED, NOT_SPOKEN = [ERROR, SKIPPED, SKIPPED], [OK, ERROR, SKIPPED], [OK, OK, ERROR]
UNREACHABLE = {"speaking": failure("PROVIDER_UNREACHABLE", Code.UNAVAILABLE)}
TIMEOUT = {"speaking": failure("PROVIDER_TIMEOUT")}
UNAUTHORIZED = {"speaking": failure("PROVIDER_UNAUTHORIZED")}
NOT_FOUND = {"speaking": failure("PROVIDER_NOT_FOUND")}
UNREADABLE = {"listing": failure("STORED_SECRET_UNREADABLE")}
NO_WORKER = {"listing": failure("SERVICE_UNREACHABLE")}
NO_KEY = {"listing": failure("CREDENTIALS_UNAVAILABLE")}


@pytest.mark.parametrize(
    ("base_url", "failures", "statuses", "fix"),
    [
        ("http://localhost:8880/v1", UNREACHABLE, NOT_REACHED, "host.docker.internal"),
        ("http://127.0.0.1:8880/v1", UNREACHABLE, NOT_REACHED, "http://speech:8880"),
        ("http://tts.example/v1", UNREACHABLE, NOT_REACHED, "Check the host and the port"),
        ("http://tts.example/v1", TIMEOUT, NOT_REACHED, "overloaded"),
        ("http://tts.example/v1", UNAUTHORIZED, NOT_SPOKEN, "API key"),
        ("http://tts.example", NOT_FOUND, NOT_SPOKEN, "want /v1 at the end"),
        ("http://tts.example/v1/audio/speech", NOT_FOUND, NOT_SPOKEN, "Take /audio/speech off"),
        ("http://tts.example/v1", NOT_FOUND, NOT_SPOKEN, "default model"),
        ("http://tts.example/v1", UNREADABLE, NOT_LISTED, "AUTH_SECRET"),
        ("http://tts.example/v1", NO_WORKER, NOT_REACHED, "System"),
        ("http://tts.example/v1", NO_KEY, NOT_REACHED, "Credential broker"),
    ],
)
async def test_each_failure_brings_its_advice(
    base_url: str, failures: dict[str, LecternError], statuses: list[StepStatus], fix: str
) -> None:
    steps = await trial(base_url, **failures)
    assert [step.status for step in steps] == statuses
    (advised,) = (step for step in steps if step.status is ERROR)
    assert fix in advised.fix


async def test_sound_is_measured_in_seconds() -> None:
    steps = await trial()
    assert [step.status for step in steps] == [OK, OK, OK]
    assert "1.0 s of sound" in steps[2].detail
