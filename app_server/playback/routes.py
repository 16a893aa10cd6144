"""/api/tts/playback: sessions, their plans, events, cursors and audio addresses."""

from typing import Any

from aiohttp import web

from app_server.accounts.current_user import require_user
from app_server.clock import iso_time
from app_server.http.event_stream import send_events
from app_server.http.json_bodies import json_response, no_content, read_body
from app_server.playback.model import PlaybackSession
from app_server.playback.proto_mapping import shown_plan, shown_settings
from app_server.playback.requests import CursorBody, SessionBody
from app_server.playback.service import PlaybackService
from app_server.playback.session_events import session_events
from app_server.worker.clients import WorkerClients
from shared.errors import Code, LecternError

_SESSIONS = "/api/tts/playback/sessions"


class PlaybackRoutes:
    def __init__(self, *, service: PlaybackService, worker: WorkerClients) -> None:
        self._service = service
        self._worker = worker

    def add_to(self, app: web.Application) -> None:
        one = _SESSIONS + "/{session_id}"
        app.router.add_post(_SESSIONS, self.create)
        app.router.add_get(one + "/plan", self.plan)
        app.router.add_get(one + "/events", self.events)
        app.router.add_post(one + "/cursor", self.cursor)
        app.router.add_post(one + "/cancel", self.cancel)
        app.router.add_post(one + "/audio-url", self.audio_url)

    async def create(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        body = await read_body(request, SessionBody)
        started = await self._service.start(user.id, body)
        base = f"{_SESSIONS}/{started.session.id}"
        shown = {
            "sessionId": started.session.id,
            "planUrl": f"{base}/plan",
            "eventsUrl": f"{base}/events",
            **self._shown_address(started.session),
            "startOrdinal": started.answer.start_ordinal,
            "segmentCount": started.answer.segment_count,
            "settings": shown_settings(started.answer.settings),
        }
        return json_response(shown, status=201)

    async def plan(self, request: web.Request) -> web.Response:
        session = await self._session(request)
        section = _section(request)
        # A plan is what its hash says, for ever; who may see it is checked each time.
        etag = f"{session.plan_id}-{'outline' if section is None else section}"
        headers = {"ETag": f'"{etag}"', "Cache-Control": "private, no-cache", "Vary": "Cookie"}
        if any(tag.value in {etag, "*"} for tag in request.if_none_match or ()):
            return web.Response(status=304, headers=headers)
        plan = await self._service.plan(session, section)
        response = web.json_response(shown_plan(plan, section), headers=headers)
        response.enable_compression()
        return response

    async def events(self, request: web.Request) -> web.StreamResponse:
        session = await self._session(request)
        events = session_events(self._worker, session.id, after_event_id=_last_event_id(request))
        return await send_events(request, events)

    async def cursor(self, request: web.Request) -> web.Response:
        session = await self._session(request)
        body = await read_body(request, CursorBody)
        await self._service.move_cursor(session, ordinal=body.ordinal, playing=body.playing)
        return no_content()

    async def cancel(self, request: web.Request) -> web.Response:
        await self._service.cancel(await self._session(request))
        return no_content()

    async def audio_url(self, request: web.Request) -> web.Response:
        return json_response(self._shown_address(await self._session(request)))

    async def _session(self, request: web.Request) -> PlaybackSession:
        user = await require_user(request)
        return await self._service.get(user.id, request.match_info["session_id"])

    def _shown_address(self, session: PlaybackSession) -> dict[str, Any]:
        address = self._service.audio_address(session)
        return {"audioUrl": address.url, "audioExpiresAt": iso_time(address.expires_at_ms)}


def _section(request: web.Request) -> int | None:
    text = request.query.get("section")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise LecternError(Code.INVALID_ARGUMENT, "section must be a number.", reason="SECTION_INVALID")
    return int(text)


def _last_event_id(request: web.Request) -> int:
    text = request.headers.get("Last-Event-ID", "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else 0
