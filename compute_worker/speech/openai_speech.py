"""Providers that speak the OpenAI speech API: POST {base}/audio/speech."""

import asyncio
import random
from typing import Any

import aiohttp

from compute_worker.speech.http_answers import bearer, read_audio, read_failure, timeout_of
from compute_worker.speech.model import Provider, ProviderType, SpeechRequest, SynthesizedAudio, Voice
from compute_worker.speech.model_discovery import discover_models
from compute_worker.speech.patient_caller import PatientCaller
from compute_worker.speech.provider_defaults import (
    base_url_of,
    choose_voice,
    default_voices,
    known_models,
    model_of,
)
from compute_worker.speech.retry import Failure
from compute_worker.speech.turns import Turns
from compute_worker.speech.upstream import Upstream
from compute_worker.speech.voice_discovery import discover_voices
from shared.errors import Code, LecternError

_VOICES_SECONDS = 600.0
_UNKNOWN_VOICES_SECONDS = 30.0  # the server may only just be starting


class OpenAiSpeechProvider:
    def __init__(
        self,
        *,
        provider: Provider,
        session: aiohttp.ClientSession,
        upstream: Upstream,
        turns: Turns,
        chance: random.Random,
    ) -> None:
        self._provider = provider
        self._session = session
        self._upstream = upstream
        self._caller = PatientCaller(provider=provider, upstream=upstream, turns=turns, chance=chance)
        self._base_url = base_url_of(provider)

    async def synthesize(self, request: SpeechRequest) -> SynthesizedAudio:
        if not self._base_url:
            message = "The speech provider has no address."
            raise LecternError(Code.FAILED_PRECONDITION, message, reason="PROVIDER_INCOMPLETE")
        fields = self._fields(request)
        body = await self._caller.call(
            self._post,
            fields,
            model=fields["model"],
            characters=len(request.text),
            permit=request.permit,
        )
        return SynthesizedAudio(body)

    async def list_voices(self, model: str) -> list[Voice]:
        model = model_of(self._provider, model)
        if self._provider.type is not ProviderType.CUSTOM_OPENAI:
            return default_voices(model)
        now = asyncio.get_running_loop().time()
        until, voices = self._upstream.voices.get(model, (0.0, []))
        if now < until:
            return list(voices)
        found = await discover_voices(self._session, self._base_url, bearer(self._provider.api_key))
        kept_for = _UNKNOWN_VOICES_SECONDS if found is None else _VOICES_SECONDS
        voices = default_voices(model) if found is None else found
        self._upstream.voices[model] = now + kept_for, voices
        return list(voices)

    async def list_models(self) -> list[str]:
        if self._provider.type is not ProviderType.CUSTOM_OPENAI:
            return known_models(self._provider)
        now = asyncio.get_running_loop().time()
        until, models = self._upstream.models
        if now >= until:
            models = await discover_models(self._session, self._base_url, bearer(self._provider.api_key))
            self._upstream.models = now + (_VOICES_SECONDS if models else _UNKNOWN_VOICES_SECONDS), models
        return list(models)

    def default_voice(self, model: str, language: str) -> str:
        model = model_of(self._provider, model)
        _, discovered = self._upstream.voices.get(model, (0.0, []))
        return choose_voice(discovered or default_voices(model), language)

    def _fields(self, request: SpeechRequest) -> dict[str, Any]:
        model = model_of(self._provider, request.model)
        fields: dict[str, Any] = {
            "model": model,
            "input": request.text,
            "voice": request.voice or self.default_voice(model, request.language),
            "response_format": "wav",  # needs no process to decode it
        }
        if request.native_speed != 1.0:
            fields["speed"] = request.native_speed
        if instructions := request.instructions or self._provider.default_instructions:
            fields["instructions"] = instructions
        if self._provider.type is ProviderType.CUSTOM_OPENAI and request.language:
            fields["language"] = request.language
        return fields

    async def _post(self, fields: dict[str, Any]) -> bytes | Failure:
        async with self._session.post(
            self._base_url + "/audio/speech",
            json=fields,
            headers=bearer(self._provider.api_key),
            timeout=timeout_of(self._provider.policy),
            allow_redirects=False,
        ) as answer:
            if answer.status == 200:
                return await read_audio(answer)
            return await read_failure(answer, secret=self._provider.api_key.strip())
