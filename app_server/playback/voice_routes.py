"""/api/tts: which providers and voices there are, and how one sounds."""

from aiohttp import web

from app_server.accounts.current_user import require_user
from app_server.http.json_bodies import NO_STORE, json_response, read_body
from app_server.playback.proto_mapping import preview_request, shown_voices
from app_server.playback.requests import PreviewBody
from app_server.providers.service import ProviderService
from app_server.worker.clients import WorkerClients, errors_for_browsers
from lectern.compute.v1 import speech_pb2
from shared.errors import Code, LecternError

_VOICES_SECONDS = 35  # a custom provider is asked at three addresses, 10 s each
_PREVIEW_SECONDS = 60
_NAME_CHARACTERS = 200


class VoiceRoutes:
    def __init__(self, *, providers: ProviderService, worker: WorkerClients) -> None:
        self._providers = providers
        self._worker = worker

    def add_to(self, app: web.Application) -> None:
        app.router.add_get("/api/tts/shared-providers", self.shared_providers)
        app.router.add_get("/api/tts/voices", self.voices)
        app.router.add_post("/api/tts/voice-preview", self.preview)

    async def shared_providers(self, request: web.Request) -> web.Response:
        await require_user(request)
        choices, default = await self._providers.choices()
        shown = [
            {
                "ref": choice.ref,
                "displayName": choice.display_name,
                "type": choice.type,
                "defaultModel": choice.default_model,
                "status": "ready" if choice.has_readable_key else "key_unreadable",
            }
            for choice in choices
        ]
        return json_response({"providers": shown, "default": default})

    async def voices(self, request: web.Request) -> web.Response:
        await require_user(request)
        model = request.query.get("model", "")
        if len(model) > _NAME_CHARACTERS:
            raise LecternError(Code.INVALID_ARGUMENT, "The model's name is too long.", reason="MODEL_INVALID")
        provider_ref = await self._providers.usable_ref(request.query.get("providerRef", ""))
        with errors_for_browsers():
            answer = await self._worker.speech.ListVoices(
                speech_pb2.ListVoicesRequest(provider_ref=provider_ref, model=model), timeout=_VOICES_SECONDS
            )
        return json_response(shown_voices(answer))

    async def preview(self, request: web.Request) -> web.Response:
        await require_user(request)
        body = await read_body(request, PreviewBody)
        provider_ref = await self._providers.usable_ref(body.provider_ref)
        with errors_for_browsers():
            answer = await self._worker.speech.SynthesizePreview(
                preview_request(body, provider_ref=provider_ref), timeout=_PREVIEW_SECONDS
            )
        return web.Response(body=answer.audio, content_type="audio/mpeg", headers={"Cache-Control": NO_STORE})
