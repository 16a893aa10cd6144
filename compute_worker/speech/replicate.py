"""Replicate: any of its speech models, whose inputs are read from the model's own schema."""

import asyncio
import random
from typing import Any

import aiohttp
from yarl import URL

from compute_worker.speech.http_answers import bearer, read_audio, read_failure, timeout_of
from compute_worker.speech.model import Provider, SpeechRequest, SynthesizedAudio, Voice
from compute_worker.speech.patient_caller import PatientCaller
from compute_worker.speech.provider_defaults import (
    base_url_of,
    choose_voice,
    default_voices,
    known_models,
    model_of,
)
from compute_worker.speech.replicate_schema import ModelSchema, parse_model
from compute_worker.speech.retry import Failure
from compute_worker.speech.turns import Turns
from compute_worker.speech.upstream import Upstream
from shared.errors import Code, LecternError

_POLL_SECONDS = 0.5
_DELIVERY_DOMAIN = ".replicate.delivery"
_SCHEMA_SECONDS = 3600.0


class ReplicateProvider:
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
        self._timeout = timeout_of(provider.policy)

    async def synthesize(self, request: SpeechRequest) -> SynthesizedAudio:
        model = model_of(self._provider, request.model)

        async def predict(_: dict[str, Any]) -> bytes | Failure:
            schema = await self._schema(model)
            return schema if isinstance(schema, Failure) else await self._predict(schema, request)

        async with asyncio.timeout(self._provider.policy.timeout_ms / 1000):
            return SynthesizedAudio(
                await self._caller.call(
                    predict, {}, model=model, characters=len(request.text), permit=request.permit
                )
            )

    async def list_models(self) -> list[str]:
        return known_models(self._provider)

    async def list_voices(self, model: str) -> list[Voice]:
        model = model_of(self._provider, model)
        try:
            schema = await self._schema(model)
        except (aiohttp.ClientError, TimeoutError):
            return default_voices(model)
        if isinstance(schema, Failure) or not schema.voices:
            return default_voices(model)
        return [Voice(voice_id, voice_id) for voice_id in schema.voices]

    def default_voice(self, model: str, language: str) -> str:
        model = model_of(self._provider, model)
        _, schema = self._upstream.schemas.get(model, (0.0, None))
        if schema is not None and schema.voices:
            return schema.voices[0]
        return choose_voice(default_voices(model), language)

    async def _schema(self, model: str) -> ModelSchema | Failure:
        now = asyncio.get_running_loop().time()
        until, known = self._upstream.schemas.get(model, (0.0, None))
        if known is not None and now < until:
            return known
        answer = await self._ask("GET", f"{self._base_url}/models/{model.split(':', maxsplit=1)[0]}")
        if isinstance(answer, Failure):
            return answer
        schema = parse_model(model, answer)
        self._upstream.schemas[model] = now + _SCHEMA_SECONDS, schema
        return schema

    async def _predict(self, schema: ModelSchema, request: SpeechRequest) -> bytes | Failure:
        voice = request.voice or self.default_voice(schema.model, request.language)
        body: dict[str, Any] = {"input": schema.inputs(request, voice)}
        if schema.version:
            body["version"] = schema.version
            address = f"{self._base_url}/predictions"
        else:
            address = f"{self._base_url}/models/{schema.model}/predictions"
        prediction = await self._ask("POST", address, body)
        while not isinstance(prediction, Failure) and prediction.get("status") in ("starting", "processing"):
            await asyncio.sleep(_POLL_SECONDS)
            prediction = await self._ask("GET", f"{self._base_url}/predictions/{prediction['id']}")
        if isinstance(prediction, Failure):
            return prediction
        if prediction.get("status") != "succeeded":
            return Failure(502, f"the prediction {prediction.get('status')}")
        return await self._download(prediction.get("output"))

    async def _ask(self, method: str, address: str, body: Any = None) -> dict[str, Any] | Failure:
        headers = {**bearer(self._provider.api_key), "Prefer": "wait"}
        async with self._session.request(
            method, address, json=body, headers=headers, timeout=self._timeout, allow_redirects=False
        ) as answer:
            if answer.status not in (200, 201, 202):
                return await read_failure(answer, secret=self._provider.api_key.strip())
            found = await answer.json(content_type=None)
            return found if isinstance(found, dict) else Failure(502, "an answer that is not a prediction")

    async def _download(self, output: Any) -> bytes | Failure:
        address = URL(_first_address(output))
        is_own = address.host == URL(self._base_url).host
        if not is_own and not (address.scheme == "https" and (address.host or "").endswith(_DELIVERY_DOMAIN)):
            message = "The speech provider's answer holds no audio."
            raise LecternError(Code.FAILED_PRECONDITION, message, reason="PROVIDER_REJECTED")
        headers = bearer(self._provider.api_key) if is_own else {}
        async with self._session.get(
            address, headers=headers, timeout=self._timeout, allow_redirects=False
        ) as answer:
            if answer.status == 200:
                return await read_audio(answer)
            return await read_failure(answer, secret=self._provider.api_key.strip())


def _first_address(output: Any) -> str:
    """Of an address, a list of them or an object with one, as models like it."""
    if isinstance(output, dict):
        output = output.get("audio") or next(iter(output.values()), "")
    if isinstance(output, list):
        return _first_address(output[0]) if output else ""
    return output if isinstance(output, str) else ""
