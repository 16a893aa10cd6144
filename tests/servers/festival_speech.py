"""Festival as an OpenAI-compatible speech server: `python -m servers.festival_speech PORT`."""

import asyncio
import sys

from aiohttp import web
from voices.festival import ENGLISH, FestivalVoice, wave_from_festival

_VOICES = {voice.name: voice for voice in ENGLISH}


async def speak(request: web.Request) -> web.Response:
    asked = await request.json()
    voice: FestivalVoice | None = _VOICES.get(asked["voice"])
    if voice is None:
        return web.json_response({"error": {"message": "no such voice"}}, status=400)
    wave = await asyncio.to_thread(wave_from_festival, voice, asked["input"])
    return web.Response(body=wave, content_type="audio/wav")


async def voices(request: web.Request) -> web.Response:
    return web.json_response({"voices": list(_VOICES)})


async def health(request: web.Request) -> web.Response:
    return web.Response()


def main() -> None:
    app = web.Application()
    app.add_routes(
        [
            web.post("/v1/audio/speech", speak),
            web.get("/v1/audio/voices", voices),
            web.get("/health", health),
        ]
    )
    web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)


if __name__ == "__main__":
    main()
