"""SpeechService: which voices there are, and how one sounds."""

import asyncio
from typing import Any

from compute_worker.credentials.ports import CredentialSource
from compute_worker.speech.model import SpeechRequest
from compute_worker.speech.ports import SpeechProviders, Synthesizer
from compute_worker.speech.spoken import to_spoken
from lectern.compute.v1 import speech_pb2 as pb
from lectern.compute.v1.speech_pb2_grpc import SpeechServiceServicer
from shared.errors import Code, LecternError

PREVIEW_MAX_CHARACTERS = 400


class SpeechServicer(SpeechServiceServicer):
    def __init__(
        self, *, credentials: CredentialSource, providers: SpeechProviders, synthesizer: Synthesizer
    ) -> None:
        self._credentials = credentials
        self._providers = providers
        self._synthesizer = synthesizer

    async def ListVoices(self, request: pb.ListVoicesRequest, context: Any) -> pb.ListVoicesResponse:
        provider = await self._credentials.resolve(request.provider_ref)
        model = request.model or provider.default_model
        speech = self._providers.open(provider)
        voices, models = await asyncio.gather(speech.list_voices(model), speech.list_models())
        return pb.ListVoicesResponse(
            voices=[pb.Voice(voice_id=v.voice_id, name=v.name, language=v.language) for v in voices],
            default_voice=speech.default_voice(model, ""),
            model=model,
            models=dict.fromkeys([model, *models] if model else models) if models else (),
        )

    async def SynthesizePreview(
        self, request: pb.SynthesizePreviewRequest, context: Any
    ) -> pb.SynthesizePreviewResponse:
        if len(request.text) > PREVIEW_MAX_CHARACTERS:
            raise LecternError(
                Code.INVALID_ARGUMENT,
                f"A preview speaks at most {PREVIEW_MAX_CHARACTERS} characters.",
                reason="PREVIEW_TOO_LONG",
            )
        provider = await self._credentials.resolve(request.provider_ref)
        speech = self._providers.open(provider)
        model = request.model or provider.default_model
        language = request.language or "en"
        spoken = await self._synthesizer.speak(
            speech,
            SpeechRequest(
                text=to_spoken(request.text, language).text,
                model=model,
                voice=request.voice or speech.default_voice(model, language),
                language=language,
                instructions=provider.default_instructions,
            ),
        )
        return pb.SynthesizePreviewResponse(audio=spoken.frames)
