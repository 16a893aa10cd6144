"""Against a server that answers as Replicate's API describes."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from compute_worker.speech.builtin import BuiltinProvider
from compute_worker.speech.model import Provider, ProviderType, RequestPolicy
from compute_worker.speech.ports import SpeechProvider
from compute_worker.speech.providers import SpeechProviderRegistry
from shared.errors import LecternError

SCHEMA = {
    "Input": {
        "properties": {
            "prompt": {"type": "string"},
            "speaker": {"allOf": [{"$ref": "#/components/schemas/speaker"}], "default": "anna"},
            "lang": {"enum": ["en", "de"]},
        }
    },
    "speaker": {"enum": ["anna", "bert"], "type": "string"},
}


class Replicate:
    def __init__(self, *, sound: bytes) -> None:
        self.sound = sound
        self.inputs: list[Any] = []
        self.polls = 0
        self.output: Any = None
        self.final = "succeeded"

    def application(self) -> web.Application:
        application = web.Application()
        application.router.add_get("/v1/models/owner/voice", self._model)
        application.router.add_post("/v1/predictions", self._predict)
        application.router.add_get("/v1/predictions/p1", self._poll)
        application.router.add_get("/files/sound", self._file)
        return application

    async def _model(self, _: web.Request) -> web.Response:
        version = {"id": "v1", "openapi_schema": {"components": {"schemas": SCHEMA}}}
        return web.json_response({"latest_version": version})

    async def _predict(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != "Bearer r8_key":
            return web.json_response({"detail": "Unauthenticated"}, status=401)
        self.inputs.append(await request.json())
        return web.json_response({"id": "p1", "status": "starting"}, status=201)

    async def _poll(self, request: web.Request) -> web.Response:
        self.polls += 1
        output = self.output or [str(request.url.with_path("/files/sound"))]
        return web.json_response({"id": "p1", "status": self.final, "output": output})

    async def _file(self, _: web.Request) -> web.Response:
        return web.Response(body=self.sound)


@pytest.fixture
async def replicate() -> Replicate:
    return Replicate(sound=b"sound")


@pytest.fixture
async def open_replicate(replicate: Replicate, registry: SpeechProviderRegistry) -> AsyncIterator[Any]:
    async with TestServer(replicate.application()) as server:

        def open_it(api_key: str = "r8_key") -> SpeechProvider:
            return registry.open(
                Provider(
                    ref="r",
                    type=ProviderType.REPLICATE,
                    base_url=str(server.make_url("/v1")),
                    api_key=api_key,
                    default_model="owner/voice",
                    policy=RequestPolicy(max_retries=0, timeout_ms=10_000),
                )
            )

        yield open_it


async def test_inputs_are_named_as_the_model_names_them(replicate, open_replicate, request_for) -> None:
    audio = await open_replicate().synthesize(request_for("Hello.", voice="bert", native_speed=1.5))
    assert audio.body == b"sound"
    assert replicate.polls == 1
    assert replicate.inputs == [
        {"version": "v1", "input": {"prompt": "Hello.", "speaker": "bert", "lang": "en"}}
    ]


async def test_values_the_model_does_not_know_are_left_out(replicate, open_replicate, request_for) -> None:
    await open_replicate().synthesize(request_for("Hello.", voice="nobody", language="pl"))
    assert replicate.inputs[0]["input"] == {"prompt": "Hello."}


async def test_voices_come_from_the_models_schema(open_replicate) -> None:
    provider = open_replicate()
    assert [voice.voice_id for voice in await provider.list_voices("")] == ["anna", "bert"]
    assert provider.default_voice("", "en") == "anna"


async def test_a_failed_prediction_is_an_error(replicate, open_replicate, request_for) -> None:
    replicate.final = "failed"
    with pytest.raises(LecternError) as caught:
        await open_replicate().synthesize(request_for("Hello."))
    assert caught.value.reason == "PROVIDER_FAILING"


async def test_a_wrong_key_is_an_error(open_replicate, request_for) -> None:
    with pytest.raises(LecternError) as caught:
        await open_replicate("wrong").synthesize(request_for("Hello."))
    assert caught.value.reason == "PROVIDER_UNAUTHORIZED"


@pytest.mark.parametrize(
    "output", ["http://169.254.169.254/x", "https://evil.example/x", "file:///etc/passwd", {}]
)
async def test_audio_is_fetched_from_replicate_only(output, replicate, open_replicate, request_for) -> None:
    replicate.output = output or "none"
    with pytest.raises(LecternError) as caught:
        await open_replicate().synthesize(request_for("Hello."))
    assert caught.value.reason == "PROVIDER_REJECTED"


async def test_the_builtin_voice_needs_no_provider_row(registry: SpeechProviderRegistry) -> None:
    assert isinstance(registry.open(Provider(ref="builtin", type=ProviderType.BUILTIN)), BuiltinProvider)
