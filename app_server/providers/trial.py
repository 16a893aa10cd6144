"""Trying a shared provider from where speech is made: is it reached, which voices has it, does it speak?"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from app_server.providers.advice import advice_for
from app_server.providers.model import Provider
from app_server.worker.clients import WorkerClients
from lectern.compute.v1 import speech_pb2 as pb
from shared.errors import LecternError

_VOICES_SECONDS: Final = 35.0  # a custom provider is asked at three addresses, 10 s each
_SPEECH_SECONDS: Final = 60.0
_WORD: Final = "Hello."
_AUDIO_BYTES_A_MILLISECOND: Final = 8  # 64 kbit/s
# Where no answer came from, whatever had been asked.
_NOT_REACHED: Final = {"PROVIDER_UNREACHABLE", "PROVIDER_TIMEOUT", "PROVIDER_INCOMPLETE"}
_WORKER_AWAY: Final = {"SERVICE_UNREACHABLE", "NO_ANSWER", "TOKEN_REFUSED"}
_SHOWN_VOICES: Final = 5


class StepStatus(Enum):
    OK = "ok"
    ERROR = "error"
    # Because an earlier step failed.
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Step:
    """fix says what to change; empty when nothing is."""

    id: str
    label: str
    status: StepStatus
    detail: str
    fix: str = ""


class ProviderTrial:
    """Asks through a compute worker, as playback does: what works here works there."""

    def __init__(self, *, worker: WorkerClients) -> None:
        self._worker = worker

    async def run(self, provider: Provider) -> list[Step]:
        """Never raises for what is wrong with the provider or the worker."""
        if not provider.enabled:
            return _all_skipped("This provider is turned off.", "Turn it on and save it, then test it.")
        voices: pb.ListVoicesResponse | None = None
        try:
            voices = await self._worker.speech.ListVoices(
                pb.ListVoicesRequest(provider_ref=provider.slug), timeout=_VOICES_SECONDS
            )
            spoken = await self._worker.speech.SynthesizePreview(
                pb.SynthesizePreviewRequest(
                    provider_ref=provider.slug, voice=voices.default_voice, text=_WORD, language="en"
                ),
                timeout=_SPEECH_SECONDS,
            )
        except LecternError as error:
            return _told(provider, voices, error)
        milliseconds = len(spoken.audio) // _AUDIO_BYTES_A_MILLISECOND
        return [_reached(provider), _listed(voices), _spoke(voices, milliseconds)]


def _told(provider: Provider, voices: pb.ListVoicesResponse | None, failure: LecternError) -> list[Step]:
    if failure.reason in _WORKER_AWAY:
        return _all_skipped(
            "No compute worker answers, so that nobody can ask the provider.",
            "See Settings → Admin → System for what is wrong with the worker.",
        )
    if failure.reason == "CREDENTIALS_UNAVAILABLE":
        return _all_skipped(
            "The compute worker can't ask this app for the provider's key.",
            "See Settings → Admin → System, “Credential broker”.",
        )
    fix = advice_for(failure.reason, provider)
    if failure.reason in _NOT_REACHED:
        reach = Step("reach", _LABELS["reach"], StepStatus.ERROR, failure.message, fix)
        return [reach, _skipped("voices"), _skipped("speak")]
    if voices is None:
        listed = Step("voices", _LABELS["voices"], StepStatus.ERROR, failure.message, fix)
        return [_reached(provider), listed, _skipped("speak")]
    speak = Step("speak", _LABELS["speak"], StepStatus.ERROR, failure.message, fix)
    return [_reached(provider), _listed(voices), speak]


_LABELS: Final = {"reach": "Reaches it", "voices": "Lists its voices", "speak": "Speaks a word"}


def _reached(provider: Provider) -> Step:
    where = provider.base_url or "its own address"
    return Step("reach", _LABELS["reach"], StepStatus.OK, f"The compute worker reaches {where}.")


def _listed(voices: pb.ListVoicesResponse) -> Step:
    names = ", ".join(voice.name for voice in voices.voices[:_SHOWN_VOICES])
    count = len(voices.voices)
    more = " and more" if count > _SHOWN_VOICES else ""
    detail = f"{count} {'voice' if count == 1 else 'voices'}: {names}{more}." if count else "No voices."
    return Step("voices", _LABELS["voices"], StepStatus.OK, detail)


def _spoke(voices: pb.ListVoicesResponse, milliseconds: int) -> Step:
    detail = f"“{_WORD}” in the voice {voices.default_voice}: {milliseconds / 1000:.1f} s of sound."
    return Step("speak", _LABELS["speak"], StepStatus.OK, detail)


def _skipped(step: str) -> Step:
    return Step(step, _LABELS[step], StepStatus.SKIPPED, "Not tried.")


def _all_skipped(detail: str, fix: str) -> list[Step]:
    first = Step("reach", _LABELS["reach"], StepStatus.ERROR, detail, fix)
    return [first, _skipped("voices"), _skipped("speak")]
