"""/api/tts: which providers and voices there are, and how one sounds."""

from functools import partial

from aiohttp import web

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.compute_limits.callers import Callers
from app_server.compute_limits.refusals import LIMIT_PROBLEMS
from app_server.compute_limits.speech_meter import SpeechMeter
from app_server.http.endpoints import Content, Endpoint, add_endpoints
from app_server.http.json_bodies import NO_STORE, json_response, read_body, read_query
from app_server.playback.answers import ProvidersAnswer, ShownProvider, VoicesAnswer
from app_server.playback.proto_mapping import preview_request, shown_voices
from app_server.playback.requests import PreviewBody, VoicesQuery
from app_server.providers.service import ProviderService
from app_server.worker.clients import WorkerClients, errors_for_browsers
from lectern.compute.v1 import speech_pb2

_VOICES_SECONDS = 35  # a custom provider is asked at three addresses, 10 s each
_PREVIEW_SECONDS = 60


class VoiceRoutes:
    def __init__(
        self, *, providers: ProviderService, worker: WorkerClients, callers: Callers, meter: SpeechMeter
    ) -> None:
        self._providers = providers
        self._worker = worker
        self._callers = callers
        self._meter = meter

    def add_to(self, app: web.Application) -> None:
        endpoint = partial(Endpoint, tag="Voices", access=Access.GUEST_OR_USER, scope=TokenScope.PLAYBACK)
        problems = ("PROVIDER_NOT_FOUND", "WORKER_UNAVAILABLE")
        add_endpoints(
            app,
            [
                endpoint(
                    method="GET",
                    path="/api/tts/shared-providers",
                    handler=self.shared_providers,
                    summary="List what can make speech",
                    answer=ProvidersAnswer,
                ),
                endpoint(
                    method="GET",
                    path="/api/tts/voices",
                    handler=self.voices,
                    summary="List the voices of a provider",
                    query=VoicesQuery,
                    answer=VoicesAnswer,
                    problems=problems,
                ),
                endpoint(
                    method="POST",
                    path="/api/tts/voice-preview",
                    handler=self.preview,
                    summary="Hear how a voice sounds",
                    body=PreviewBody,
                    answer=Content(("audio/mpeg",)),
                    problems=(*problems, *LIMIT_PROBLEMS),
                ),
            ],
        )

    async def shared_providers(self, request: web.Request) -> web.Response:
        await require_user(request)
        choices, default = await self._providers.choices()
        shown = [
            ShownProvider(
                ref=choice.ref,
                display_name=choice.display_name,
                type=choice.type,
                default_model=choice.default_model,
                status="ready" if choice.has_readable_key else "key_unreadable",
            )
            for choice in choices
        ]
        return json_response(ProvidersAnswer(providers=shown, default=default))

    async def voices(self, request: web.Request) -> web.Response:
        await require_user(request)
        query = read_query(request, VoicesQuery)
        provider_ref = await self._providers.usable_ref(query.provider_ref)
        with errors_for_browsers():
            answer = await self._worker.speech.ListVoices(
                speech_pb2.ListVoicesRequest(
                    provider_ref=provider_ref, model=await self._providers.usable_model(query.model)
                ),
                timeout=_VOICES_SECONDS,
            )
        return json_response(shown_voices(answer, has_models=await self._providers.has_models()))

    async def preview(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        body = await read_body(request, PreviewBody)
        provider_ref = await self._providers.usable_ref(body.provider_ref)
        asked = preview_request(body, provider_ref=provider_ref)
        asked.model = await self._providers.usable_model(body.model)
        charged = self._meter.charged_preview(self._callers.of(request, user), len(body.text))
        async with charged:
            with errors_for_browsers():
                answer = await self._worker.speech.SynthesizePreview(asked, timeout=_PREVIEW_SECONDS)
        return web.Response(body=answer.audio, content_type="audio/mpeg", headers={"Cache-Control": NO_STORE})
