"""/api/tts/playback: sessions, their plans, events, cursors and audio addresses."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial

from aiohttp import web

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.clock import iso_time
from app_server.compute_limits.callers import Callers
from app_server.compute_limits.refusals import LIMIT_PROBLEMS
from app_server.http.endpoints import Endpoint, Events, add_endpoints
from app_server.http.event_stream import ServerEvent, send_events
from app_server.http.json_bodies import json_response, no_content, read_body, read_query
from app_server.playback.answers import (
    AudioAddressAnswer,
    PlanAnswer,
    ProblemEvent,
    SegmentEvent,
    StartedAnswer,
    StateEvent,
)
from app_server.playback.model import PlaybackSession
from app_server.playback.proto_mapping import shown_plan, shown_settings
from app_server.playback.requests import CursorBody, PlanQuery, SessionBody
from app_server.playback.service import PlaybackService
from app_server.playback.session_events import session_events
from app_server.worker.clients import WORK_QUEUE_PROBLEMS, WorkerClients

_SESSIONS = "/api/tts/playback/sessions"


class PlaybackRoutes:
    def __init__(self, *, service: PlaybackService, worker: WorkerClients, callers: Callers) -> None:
        self._service = service
        self._worker = worker
        self._callers = callers

    def add_to(self, app: web.Application) -> None:
        one = _SESSIONS + "/{session_id}"
        endpoint = partial(Endpoint, tag="Playback", access=Access.GUEST_OR_USER, scope=TokenScope.PLAYBACK)
        missing = ("PLAYBACK_SESSION_NOT_FOUND",)
        problems = (*missing, "WORKER_UNAVAILABLE")
        add_endpoints(
            app,
            [
                endpoint(
                    method="POST",
                    path=_SESSIONS,
                    handler=self.create,
                    summary="Start or resume listening to a document",
                    body=SessionBody,
                    answer=StartedAnswer,
                    status=201,
                    problems=(
                        "DOCUMENT_NOT_FOUND",
                        "DOCUMENT_NOT_READY",
                        "PROVIDER_NOT_FOUND",
                        "READING_REPLACED",
                        "WORKER_UNAVAILABLE",
                        *WORK_QUEUE_PROBLEMS,
                        *LIMIT_PROBLEMS,
                    ),
                ),
                endpoint(
                    method="GET",
                    path=one + "/plan",
                    handler=self.plan,
                    summary="Get the outline of a plan, with the segments of one section",
                    query=PlanQuery,
                    answer=PlanAnswer,
                    other_answers={304: "What the caller has"},
                    problems=problems,
                ),
                endpoint(
                    method="GET",
                    path=one + "/events",
                    handler=self.events,
                    summary="Follow what is made of the speech",
                    answer=Events({"segment": SegmentEvent, "state": StateEvent, "problem": ProblemEvent}),
                    problems=problems,
                ),
                endpoint(
                    method="POST",
                    path=one + "/cursor",
                    handler=self.cursor,
                    summary="Tell where the listener is",
                    body=CursorBody,
                    status=204,
                    problems=(*problems, *LIMIT_PROBLEMS),
                ),
                endpoint(
                    method="POST",
                    path=one + "/cancel",
                    handler=self.cancel,
                    summary="Stop making speech for a session",
                    status=204,
                    problems=problems,
                ),
                endpoint(
                    method="POST",
                    path=one + "/audio-url",
                    handler=self.audio_url,
                    summary="Get a new address of the sound",
                    answer=AudioAddressAnswer,
                    problems=missing,
                ),
            ],
        )

    async def create(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        body = await read_body(request, SessionBody)
        started = await self._service.start(self._callers.of(request, user), body)
        base = f"{_SESSIONS}/{started.session.id}"
        address = self._service.audio_address(started.session)
        shown = StartedAnswer(
            session_id=started.session.id,
            plan_url=f"{base}/plan",
            events_url=f"{base}/events",
            audio_url=address.url,
            audio_expires_at=iso_time(address.expires_at_ms),
            start_ordinal=started.answer.start_ordinal,
            segment_count=started.answer.segment_count,
            settings=shown_settings(started.answer.settings),
        )
        return json_response(shown, status=201)

    async def plan(self, request: web.Request) -> web.Response:
        session = await self._session(request)
        section = read_query(request, PlanQuery).section
        # A plan is what its hash says, for ever; who may see it is checked each time.
        etag = f"{session.plan_id}-{'outline' if section is None else section}"
        headers = {"ETag": f'"{etag}"', "Cache-Control": "private, no-cache", "Vary": "Cookie"}
        if any(tag.value in {etag, "*"} for tag in request.if_none_match or ()):
            return web.Response(status=304, headers=headers)
        plan = await self._service.plan(session, section)
        response = json_response(shown_plan(plan, section), headers=headers)
        response.enable_compression()
        return response

    async def events(self, request: web.Request) -> web.StreamResponse:
        session = await self._session(request)
        events = session_events(self._worker, session.id, after_event_id=_last_event_id(request))
        return await send_events(request, self._noting_ends(session, events))

    async def _noting_ends(
        self, session: PlaybackSession, events: AsyncGenerator[ServerEvent, None]
    ) -> AsyncGenerator[ServerEvent, None]:
        async with aclosing(events):
            async for event in events:
                if event.name == "state" and event.data["state"] in {"complete", "stopped"}:
                    await self._service.generated(session)
                yield event

    async def cursor(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        session = await self._session(request)
        body = await read_body(request, CursorBody)
        caller = self._callers.of(request, user)
        await self._service.move_cursor(caller, session, ordinal=body.ordinal, playing=body.playing)
        return no_content()

    async def cancel(self, request: web.Request) -> web.Response:
        await self._service.cancel(await self._session(request))
        return no_content()

    async def audio_url(self, request: web.Request) -> web.Response:
        address = self._service.audio_address(await self._session(request))
        return json_response(
            AudioAddressAnswer(audio_url=address.url, audio_expires_at=iso_time(address.expires_at_ms))
        )

    async def _session(self, request: web.Request) -> PlaybackSession:
        user = await require_user(request)
        return await self._service.get(user.id, request.match_info["session_id"])


def _last_event_id(request: web.Request) -> int:
    text = request.headers.get("Last-Event-ID", "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else 0
