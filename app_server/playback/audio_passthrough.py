"""The worker's playback audio under the app's own address, streamed through: one published port is enough.

Browsers come here when COMPUTE_WORKER_PUBLIC_URL is BASE_URL. The token in the address is the worker's to
check; nothing of the session cookie goes on.
"""

import aiohttp
import structlog
from aiohttp import web

from app_server.accounts.access import Access
from app_server.http.endpoints import Content, Endpoint, add_endpoints

PATH = "/v1/tts-playback/sessions/{session_id}/audio"
CONNECT_SECONDS = 3.0
SILENCE_SECONDS = 120.0  # a stream whose listener is paused says nothing for a while
PASSED_ON = ("Range", "User-Agent", "X-Request-Id")
PASSED_BACK = (
    "Accept-Ranges",
    "Cache-Control",
    "Content-Length",
    "Content-Range",
    "Content-Type",
    "X-Accel-Buffering",
    "X-Content-Type-Options",
)

_log = structlog.get_logger(__name__)


class AudioPassthrough:
    def __init__(self, *, http: aiohttp.ClientSession, worker_url: str) -> None:
        self._http = http
        self._worker_url = worker_url.rstrip("/")

    def add_to(self, app: web.Application) -> None:
        endpoint = Endpoint(
            method="GET",
            path=PATH,
            handler=self.handle,
            summary="Get the sound of a session, as it is made",
            tag="Playback",
            access=Access.OWN_SECRET,
            answer=Content(("audio/mpeg",)),
            other_answers={206: "The part that the Range header asks for", 416: "There is no such part"},
        )
        add_endpoints(app, [endpoint])

    async def handle(self, request: web.Request) -> web.StreamResponse:
        session_id = request.match_info["session_id"]
        if not session_id.isalnum():
            raise web.HTTPNotFound
        headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
        address = f"{self._worker_url}/v1/tts-playback/sessions/{session_id}/audio"
        timeout = aiohttp.ClientTimeout(total=None, connect=CONNECT_SECONDS, sock_read=SILENCE_SECONDS)
        try:
            async with self._http.request(
                request.method, address, params=request.query, headers=headers, timeout=timeout
            ) as answer:
                return await _stream_through(request, answer)
        except aiohttp.ClientConnectionError as error:
            raise web.HTTPBadGateway(text="The compute worker can't be reached.") from error


async def _stream_through(request: web.Request, answer: aiohttp.ClientResponse) -> web.StreamResponse:
    """As fast as the listener takes it. A stream that breaks on one side is broken on the other."""
    headers = {name: answer.headers[name] for name in PASSED_BACK if name in answer.headers}
    response = web.StreamResponse(status=answer.status, headers=headers)
    await response.prepare(request)
    try:
        async for chunk in answer.content.iter_any():
            await response.write(chunk)
    except ConnectionResetError:
        return response  # the listener went away
    except (aiohttp.ClientError, TimeoutError) as error:
        _log.warning("resetting an audio stream", cause=type(error).__name__)
        if request.transport is not None:
            request.transport.abort()
        return response
    await response.write_eof()
    return response
