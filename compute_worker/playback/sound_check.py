"""A moment of silence at a playback address, by which a browser finds out whether it reaches this worker.

It is loaded as a listener's audio is: the same origin, element and kind of token, but no session.
"""

from typing import Final

from aiohttp import web

from compute_worker.audio.encoder import silent_frames
from shared.playback_token import SOUND_CHECK_SESSION, PlaybackTokens

_PATH: Final = f"/v1/tts-playback/sessions/{SOUND_CHECK_SESSION}/audio"
_FRAMES: Final = 20  # 24 ms each


class SoundCheck:
    def __init__(self, *, tokens: PlaybackTokens) -> None:
        self._tokens = tokens

    def add_to(self, app: web.Application) -> None:
        """Before the route of all sessions."""
        app.router.add_get(_PATH, self.handle)

    async def handle(self, request: web.Request) -> web.Response:
        headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
        if not self._tokens.allows(request.query.get("token", ""), SOUND_CHECK_SESSION):
            return web.json_response({"code": "PLAYBACK_TOKEN_INVALID"}, status=403, headers=headers)
        return web.Response(body=silent_frames(_FRAMES), content_type="audio/mpeg", headers=headers)
