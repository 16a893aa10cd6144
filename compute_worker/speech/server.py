"""`lectern speech-server`: the built-in voice behind the OpenAI speech API."""

import asyncio
import hmac
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from compute_worker.audio.media_tool import MediaTool, bundled_media_bin
from compute_worker.audio.wav import parse_wav
from compute_worker.speech.builtin import MODEL, BuiltinProvider
from compute_worker.speech.builtin_languages import LANGUAGES, voice_for_language
from compute_worker.speech.espeak_pool import EspeakPool
from compute_worker.speech.model import SpeechRequest
from compute_worker.speech.server_options import ServerOptions, parse_options
from compute_worker.speech.server_trouble import Refusal, Trouble
from shared.errors import LecternError

_MAX_INPUT_CHARACTERS = 4096  # OpenAI's own limit
_FORMATS = {
    "mp3": ("audio/mpeg", ("-c:a", "libmp3lame", "-b:a", "64k", "-f", "mp3")),
    "wav": ("audio/wav", ()),
    "opus": ("audio/ogg", ("-c:a", "libopus", "-f", "ogg")),
    "flac": ("audio/flac", ("-c:a", "flac", "-f", "flac")),
    "aac": ("audio/aac", ("-c:a", "aac", "-f", "adts")),
    "pcm": ("audio/pcm", ("-c:a", "pcm_s16le", "-f", "s16le")),
}


class SpeechServer:
    def __init__(self, *, options: ServerOptions, voice: BuiltinProvider, media_tool: MediaTool) -> None:
        self._options = options
        self._voice = voice
        self._media_tool = media_tool
        self._trouble = Trouble(options)

    def application(self) -> web.Application:
        application = web.Application(middlewares=[self._check_key])
        application.router.add_post("/v1/audio/speech", self._speak)
        application.router.add_get("/v1/audio/voices", self._voices)
        application.router.add_get("/v1/models", self._models)
        application.router.add_get("/v1/stats", self._statistics)
        application.router.add_get("/health", self._health)
        return application

    @web.middleware
    async def _check_key(self, request: web.Request, handler: Any) -> web.StreamResponse:
        expected = f"Bearer {self._options.api_key}".encode()
        given = request.headers.get("Authorization", "").encode()
        if self._options.api_key and request.path != "/health" and not hmac.compare_digest(given, expected):
            return _refuse(Refusal(401, "Incorrect API key provided."))
        response: web.StreamResponse = await handler(request)
        return response

    async def _speak(self, request: web.Request) -> web.Response:
        try:
            fields = await request.json()
        except ValueError:
            return _refuse(Refusal(400, "The body is not JSON."))
        if refusal := _check(fields) or self._trouble.judge(fields, asyncio.get_running_loop().time()):
            return _refuse(refusal)
        await asyncio.sleep(self._options.delay_ms / 1000)
        try:
            body, content_type = await self._synthesize(fields)
        except LecternError as error:
            return _refuse(Refusal(error.code.http_status, error.message, param="voice"))
        self._trouble.spoken[fields["input"]] += 1
        if self._options.has_wrong_content_type:
            content_type = "text/plain"
        return web.Response(body=body, content_type=content_type)

    async def _synthesize(self, fields: dict[str, Any]) -> tuple[bytes, str]:
        language = str(fields.get("language") or "en-us")
        voice = str(fields.get("voice") or "")
        is_ours = (
            voice.split("+", maxsplit=1)[0] in LANGUAGES
        )  # others, such as "alloy", come from clients' defaults
        audio = await self._voice.synthesize(
            SpeechRequest(
                text=fields["input"],
                model=MODEL,
                voice=voice if is_ours else voice_for_language(language),
                language=language,
                native_speed=float(fields.get("speed", 1.0)),
            )
        )
        content_type, arguments = _FORMATS[fields.get("response_format", "mp3")]
        if not arguments:
            return audio.body, content_type
        pcm = parse_wav(audio.body)
        if pcm is None:
            raise RuntimeError("our own WAV cannot be read")
        return await self._media_tool.encode(pcm.at_stream_rate(), arguments), content_type

    async def _voices(self, _: web.Request) -> web.Response:
        voices = await self._voice.list_voices(MODEL)
        return web.json_response(
            {"voices": [{"id": v.voice_id, "name": v.name, "language": v.language} for v in voices]}
        )

    async def _models(self, _: web.Request) -> web.Response:
        model = {"id": MODEL, "object": "model", "owned_by": "lectern"}
        return web.json_response({"object": "list", "data": [model]})

    async def _statistics(self, _: web.Request) -> web.Response:
        return web.json_response(self._trouble.statistics())

    async def _health(self, _: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})


def _check(fields: Any) -> Refusal | None:
    if (
        not isinstance(fields, dict)
        or not isinstance(fields.get("input"), str)
        or not fields["input"].strip()
    ):
        return Refusal(400, "'input' is a required text.", param="input")
    if not isinstance(fields["input"], str) or len(fields["input"]) > _MAX_INPUT_CHARACTERS:
        return Refusal(
            400, f"'input' is a text of at most {_MAX_INPUT_CHARACTERS} characters.", param="input"
        )
    if fields.get("response_format", "mp3") not in _FORMATS:
        return Refusal(400, f"'response_format' is one of {', '.join(_FORMATS)}.", param="response_format")
    speed = fields.get("speed", 1.0)
    if isinstance(speed, bool) or not isinstance(speed, int | float) or not 0.25 <= speed <= 4.0:
        return Refusal(400, "'speed' is a number from 0.25 to 4.", param="speed")
    return None


def _refuse(refusal: Refusal) -> web.Response:
    error = {
        "message": refusal.message,
        "type": "invalid_request_error",
        "param": refusal.param,
        "code": None,
    }
    pause = refusal.retry_after_seconds
    headers = {"Retry-After": str(pause)} if pause is not None else {}
    return web.json_response({"error": error}, status=refusal.status, headers=headers)


@asynccontextmanager
async def run_server(options: ServerOptions) -> AsyncIterator[str]:
    """Gives the address, such as http://127.0.0.1:8880, while the server runs."""
    media_tool = MediaTool(media_bin=bundled_media_bin())
    async with EspeakPool() as espeak:
        server = SpeechServer(options=options, voice=BuiltinProvider(pool=espeak), media_tool=media_tool)
        runner = web.AppRunner(server.application(), access_log=None, handler_cancellation=True)
        await runner.setup()
        try:
            site = web.TCPSite(runner, options.host, options.port)
            await site.start()
            host, port = runner.addresses[0][:2]
            yield f"http://{f'[{host}]' if ':' in host else host}:{port}"
        finally:
            await runner.cleanup()


async def _serve(options: ServerOptions) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with run_server(options) as address:
        print(f"speech server on {address}/v1", flush=True)  # noqa: T201 - what a caller with --port 0 reads
        if options.fail_rate:
            print(f"seed {options.seed}", flush=True)  # noqa: T201
        await stop.wait()


def main(argv: list[str]) -> int:
    try:
        options = parse_options(argv)
    except OSError as error:
        print(f"lectern speech-server: {error}", file=sys.stderr)  # noqa: T201
        return 2
    asyncio.run(_serve(options))
    return 0
