"""PlaybackService: unpacks, asks Playback, packs."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from compute_worker.operations.events import Event, Events
from compute_worker.playback.announcements import (
    Announcement,
    SegmentReady,
    from_payload,
    session_topic,
    still_true,
)
from compute_worker.playback.model import Plan, Session
from compute_worker.playback.plans import Plans
from compute_worker.playback.proto_mapping import (
    event_to_proto,
    plan_to_proto,
    settings_to_proto,
    start_request,
)
from compute_worker.playback.service import Playback
from compute_worker.playback.sessions import Sessions
from compute_worker.playback.speaker import SegmentSpeaker
from compute_worker.speech.model import WordTime
from lectern.compute.v1 import playback_pb2 as pb
from lectern.compute.v1.playback_pb2_grpc import PlaybackServiceServicer


class PlaybackServicer(PlaybackServiceServicer):
    def __init__(
        self,
        *,
        playback: Playback,
        sessions: Sessions,
        plans: Plans,
        events: Events,
        speaker: SegmentSpeaker,
    ) -> None:
        self._playback = playback
        self._sessions = sessions
        self._plans = plans
        self._events = events
        self._speaker = speaker

    async def CreateSession(self, request: pb.CreateSessionRequest, context: Any) -> pb.CreateSessionResponse:
        started = await self._playback.start(start_request(request))
        return pb.CreateSessionResponse(
            session_id=started.session.session_id,
            plan_id=started.plan.plan_id,
            start_ordinal=started.start_ordinal,
            segment_count=len(started.plan.segments),
            settings=settings_to_proto(started.session.settings),
        )

    async def GetPlan(self, request: pb.GetPlanRequest, context: Any) -> pb.GetPlanResponse:
        plan = await self._playback.plan_of(request.session_id)
        section = request.section if request.HasField("section") else None
        if section is not None:
            plan.section_segments(section)  # NOT_FOUND for a section that isn't there
        return plan_to_proto(plan, section)

    async def WatchSession(
        self, request: pb.WatchSessionRequest, context: Any
    ) -> AsyncIterator[pb.WatchSessionResponse]:
        session = await self._sessions.get(request.session_id)
        plan = await self._plans.plan(session.reading_ref, session.options)
        topic = session_topic(session.session_id)
        async with self._events.follow(topic, after_event_id=request.after_event_id) as following:
            for event in still_true(await following.stored()):
                yield await self._told(event, session, plan)
            while True:
                event = await following.queue.get()
                if event.payload["type"] != "lost":  # a listener is told when it is there again
                    yield await self._told(event, session, plan)

    async def _told(self, event: Event, session: Session, plan: Plan) -> pb.WatchSessionResponse:
        announcement = from_payload(event.payload)
        words = await self._words(announcement, session, plan)
        return event_to_proto(event.event_id, announcement, words)

    async def UpdateCursor(self, request: pb.UpdateCursorRequest, context: Any) -> pb.UpdateCursorResponse:
        await self._playback.move(request.session_id, request.ordinal, playing=request.playing)
        return pb.UpdateCursorResponse()

    async def CancelSession(self, request: pb.CancelSessionRequest, context: Any) -> pb.CancelSessionResponse:
        await self._playback.cancel(request.session_id)
        return pb.CancelSessionResponse()

    async def _words(self, announcement: Announcement, session: Session, plan: Plan) -> Sequence[WordTime]:
        if not isinstance(announcement, SegmentReady) or announcement.failed:
            return ()
        segment = plan.segments[announcement.ordinal]
        spoken = await self._speaker.find(segment, session.settings, exact=announcement.exact)
        return self._speaker.words_in_block(segment, session.settings, spoken) if spoken else ()
