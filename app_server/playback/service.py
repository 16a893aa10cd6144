"""A listener's sessions: rights are checked here, the worker does the rest."""

import asyncio
from dataclasses import dataclass
from typing import Final

from app_server.clock import Clock
from app_server.compute_limits.caller import Caller
from app_server.library.service import LibraryService
from app_server.playback.limits import PlaybackLimits
from app_server.playback.model import AudioAddress, PlaybackSession
from app_server.playback.ports import PlaybackSessionStore
from app_server.playback.proto_mapping import session_request
from app_server.playback.requests import SessionBody
from app_server.providers.service import ProviderService
from app_server.reading_options.service import ReadingOptionsService
from app_server.site_features.ports import FeatureReader
from app_server.worker.clients import WorkerClients, errors_for_browsers
from lectern.compute.v1 import playback_pb2 as pb
from shared.errors import Code, LecternError
from shared.playback_token import PlaybackTokens

# Planning a long book is part of it, the first time.
_CREATE_SECONDS: Final = 60
_CALL_SECONDS: Final = 15


@dataclass(frozen=True)
class StartedSession:
    session: PlaybackSession
    answer: pb.CreateSessionResponse


class PlaybackService:
    def __init__(
        self,
        *,
        store: PlaybackSessionStore,
        library: LibraryService,
        reading_options: ReadingOptionsService,
        limits: PlaybackLimits,
        providers: ProviderService,
        features: FeatureReader,
        worker: WorkerClients,
        tokens: PlaybackTokens,
        worker_public_url: str,
        clock: Clock,
    ) -> None:
        self._store = store
        self._library = library
        self._reading_options = reading_options
        self._limits = limits
        self._providers = providers
        self._features = features
        self._worker = worker
        self._tokens = tokens
        self._worker_public_url = worker_public_url.rstrip("/")
        self._clock = clock

    async def start(self, caller: Caller, body: SessionBody) -> StartedSession:
        """Raises RESOURCE_EXHAUSTED when a limit is reached. An allowance of speech that is used up is no
        reason: what is in the cache plays, and generation says where it ends."""
        # All looked up at once: a listener waits.
        finding = asyncio.create_task(
            self._library.get_ready(caller.user_id, body.document_id, parser=body.parser)
        )
        choosing = asyncio.create_task(self._providers.usable_ref(body.settings.provider_ref))
        asking = asyncio.create_task(self._reading_options.for_listening(caller.user_id, body.document_id))
        await asyncio.gather(finding, choosing, asking, return_exceptions=True)
        (document, reading_ref), provider_ref, options = finding.result(), choosing.result(), asking.result()
        features = await self._features.current()
        starting = self._limits.starting(
            caller,
            document_id=document.id,
            plan=f"{reading_ref}:{body.options.max_segment_characters}:{options.fingerprint()}",
            extent=features.tts_playback_background_extent,
        )
        async with starting as extent:
            request = session_request(
                body,
                caller=caller,
                reading_ref=reading_ref,
                reading=options,
                provider_ref=provider_ref,
                extent=extent,
            )
            request.settings.model = await self._providers.usable_model(request.settings.model)
            with errors_for_browsers():
                answer = await self._worker.playback.CreateSession(request, timeout=_CREATE_SECONDS)
        session = PlaybackSession(answer.session_id, caller.user_id, document.id, answer.plan_id)
        await self._store.save(session, now_ms=self._clock())
        return StartedSession(session, answer)

    async def get(self, user_id: str, session_id: str) -> PlaybackSession:
        """Raises NOT_FOUND, also for somebody else's."""
        session = await self._store.find(session_id)
        if session is None or session.user_id != user_id:
            raise LecternError(
                Code.NOT_FOUND,
                "This playback session has ended. Press play again.",
                reason="PLAYBACK_SESSION_NOT_FOUND",
            )
        return session

    async def plan(self, session: PlaybackSession, section: int | None) -> pb.GetPlanResponse:
        request = pb.GetPlanRequest(session_id=session.id, section=section)
        with errors_for_browsers():
            return await self._worker.playback.GetPlan(request, timeout=_CALL_SECONDS)

    async def move_cursor(
        self, caller: Caller, session: PlaybackSession, *, ordinal: int, playing: bool
    ) -> None:
        await self._limits.moved(caller, session, playing=playing)
        request = pb.UpdateCursorRequest(session_id=session.id, ordinal=ordinal, playing=playing)
        with errors_for_browsers():
            await self._worker.playback.UpdateCursor(request, timeout=_CALL_SECONDS)

    async def generated(self, session: PlaybackSession) -> None:
        """The worker says that it makes nothing more."""
        await self._limits.generated(session)

    async def cancel(self, session: PlaybackSession) -> None:
        await self._limits.ended(session)
        with errors_for_browsers():
            await self._worker.playback.CancelSession(
                pb.CancelSessionRequest(session_id=session.id), timeout=_CALL_SECONDS
            )

    def audio_address(self, session: PlaybackSession) -> AudioAddress:
        """Where the browser starts the sound, for ten minutes from now."""
        minted = self._tokens.mint(
            session_id=session.id, user_id=session.user_id, document_id=session.document_id
        )
        base = f"{self._worker_public_url}/v1/tts-playback/sessions/{session.id}/audio"
        return AudioAddress(f"{base}?token={minted.token}", minted.expires_at_seconds * 1000)
