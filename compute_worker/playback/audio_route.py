"""GET /v1/tts-playback/sessions/{session_id}/audio: media for browsers, behind a signed token."""

from dataclasses import dataclass

import structlog
from aiohttp import web

from compute_worker.playback.audio_stream import AudioStream, start_frames
from compute_worker.playback.byte_range import ByteRange, parse_range
from compute_worker.playback.feed import Feeds, SessionFeed
from compute_worker.playback.model import Plan, Session
from compute_worker.playback.plans import Plans
from compute_worker.playback.service import Playback
from compute_worker.playback.sessions import Sessions
from compute_worker.playback.speaker import SegmentSpeaker
from shared.errors import Code, LecternError
from shared.playback_token import PlaybackTokens

PATH = "/v1/tts-playback/sessions/{session_id}/audio"
# What RFC 8673, section 2.2, gives as the last byte of content that is still growing.
INDETERMINATE_LAST = 2**53 - 1
PROBE = ByteRange(0, 1)  # how Safari asks whether ranges are understood
BASE_HEADERS = {
    "Content-Type": "audio/mpeg",
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, no-store",
    "X-Accel-Buffering": "no",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "cross-origin",  # the token is what guards it
}

log = structlog.get_logger(__name__)


class AudioRoute:
    def __init__(
        self,
        *,
        tokens: PlaybackTokens,
        sessions: Sessions,
        plans: Plans,
        feeds: Feeds,
        speaker: SegmentSpeaker,
        playback: Playback,
    ) -> None:
        self._tokens = tokens
        self._sessions = sessions
        self._plans = plans
        self._feeds = feeds
        self._speaker = speaker
        self._playback = playback

    def add_to(self, app: web.Application) -> None:
        app.router.add_get(PATH, self.handle)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        session_id = request.match_info["session_id"]
        if not self._tokens.allows(request.query.get("token", ""), session_id):
            return _problem(403, "PLAYBACK_TOKEN_INVALID")
        try:
            return await self._answer_listener(request, session_id)
        except LecternError as error:  # nothing has been sent yet: what comes later cuts the connection
            log.info("no audio", reason=error.reason)
            return _problem(404 if error.code is Code.NOT_FOUND else 503, error.reason)

    async def _answer_listener(self, request: web.Request, session_id: str) -> web.StreamResponse:
        session = await self._sessions.get(session_id)
        plan = await self._plans.plan(session.reading_ref, session.options)
        ordinal, at_ms = _whole(request, "from"), _whole(request, "at")
        if ordinal is None or at_ms is None or ordinal >= len(plan.segments):
            return _problem(400, "START_INVALID")
        async with self._feeds.open(session_id) as feed:
            await self._steer(session, plan, feed, ordinal)
            stream = AudioStream(
                session=session,
                plan=plan,
                feed=feed,
                speaker=self._speaker,
                playback=self._playback,
                start_ordinal=ordinal,
                skip_frames=start_frames(plan, feed, ordinal, at_ms),
            )
            return await self._answer(request, stream)

    async def _steer(self, session: Session, plan: Plan, feed: SessionFeed, ordinal: int) -> None:
        """A seek to what doesn't exist yet is a cursor too: it saves the browser a request."""
        if ordinal in feed.segments or self._speaker.in_memory(plan.segments[ordinal], session.settings):
            return
        await self._playback.move(session.session_id, ordinal, playing=True)

    async def _answer(self, request: web.Request, stream: AudioStream) -> web.StreamResponse:
        asked = parse_range(request.headers.get("Range"))
        total = stream.total_bytes()
        if total is None:
            return await self._answer_open(request, stream, asked)
        if asked is None:
            return await _send(request, stream, _Part(200, 0, total))
        resolved = asked.resolve(total)
        if resolved is None:
            headers = {**BASE_HEADERS, "Content-Range": f"bytes */{total}"}
            return web.Response(status=416, headers=headers)
        first, end = resolved
        return await _send(request, stream, _Part(206, first, end, f"bytes {first}-{end - 1}/{total}"))

    async def _answer_open(
        self, request: web.Request, stream: AudioStream, asked: ByteRange | None
    ) -> web.StreamResponse:
        """While the length is unknown: a whole stream, the probe, or the stream from a byte on."""
        if asked is None or asked.first is None or asked == ByteRange(0, None):
            return await _send(request, stream, _Part(200, 0, None))
        if asked == PROBE:
            return await _send(request, stream, _Part(206, 0, 2, "bytes 0-1/*"))
        end = await stream.known_beyond(asked.first)
        if end <= asked.first:  # the stream turned out to be shorter
            return web.Response(status=416, headers={**BASE_HEADERS, "Content-Range": f"bytes */{end}"})
        if asked.last is None:
            content_range = f"bytes {asked.first}-{INDETERMINATE_LAST}/*"
            return await _send(request, stream, _Part(206, asked.first, None, content_range))
        end = min(end, asked.last + 1)
        content_range = f"bytes {asked.first}-{end - 1}/*"
        return await _send(request, stream, _Part(206, asked.first, end, content_range))


@dataclass(frozen=True)
class _Part:
    """What of the stream is sent: bytes [first, end), end None while the stream is open-ended."""

    status: int
    first: int
    end: int | None
    content_range: str = ""


async def _send(request: web.Request, stream: AudioStream, part: _Part) -> web.StreamResponse:
    response = web.StreamResponse(status=part.status, headers=BASE_HEADERS)
    if part.content_range:
        response.headers["Content-Range"] = part.content_range
    if part.end is not None:
        response.content_length = part.end - part.first
    try:
        await response.prepare(request)
        if request.method == "HEAD":
            return response
        async for chunk in stream.chunks(part.first, part.end):
            await response.write(chunk)
        await response.write_eof()
    except ConnectionError:
        log.debug("the listener went away")
    except LecternError as error:
        log.warning("resetting an audio stream", reason=error.reason)
        _reset(request)
    except Exception:  # after the first byte nothing may end politely
        log.exception("audio stream failed")
        _reset(request)
    return response


def _reset(request: web.Request) -> None:
    """Cuts the connection so that the browser can tell a failure from an end."""
    if request.transport is not None:
        request.transport.abort()


def _whole(request: web.Request, name: str) -> int | None:
    text = request.query.get(name, "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _problem(status: int, code: str) -> web.Response:
    """A code and no detail: whoever asks may be anybody."""
    return web.json_response(
        {"type": "about:blank", "title": "Audio not available", "status": status, "code": code},
        status=status,
        content_type="application/problem+json",
        headers={"Cache-Control": "no-store"},
    )
