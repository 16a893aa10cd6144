"""What listeners do: start, look at the plan, move, stop."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass

from compute_worker.credentials.ports import CredentialSource
from compute_worker.operations.events import Events
from compute_worker.operations.model import (
    OperationFailure,
    OperationKind,
    OperationRecord,
    OperationState,
    operation_id_of,
)
from compute_worker.operations.queue import OperationQueue
from compute_worker.playback.announcements import (
    GenerationState,
    ProblemOccurred,
    SegmentLost,
    StateChanged,
    session_topic,
    to_payload,
)
from compute_worker.playback.endings import ending_of
from compute_worker.playback.head_start import HeadStarts
from compute_worker.playback.model import (
    Extent,
    Plan,
    PlanOptions,
    Session,
    VoiceSettings,
    session_id_of,
)
from compute_worker.playback.plans import Plans, Turn
from compute_worker.playback.sessions import Sessions
from compute_worker.speech.model import Provider
from compute_worker.speech.ports import SpeechProviders
from shared.errors import Code, LecternError

VOICES_SECONDS = 3.0  # a listener waits for this once per provider; the answer is kept


@dataclass(frozen=True)
class StartRequest:
    """settings may leave fields empty; start is an ordinal or a (block id, offset) pair."""

    owner_id: str
    document_id: str
    reading_ref: str
    start: int | tuple[str, int]
    settings: VoiceSettings
    options: PlanOptions
    extent: Extent
    usage_account: str = ""


@dataclass(frozen=True)
class Started:
    session: Session
    plan: Plan
    start_ordinal: int


class Playback:
    def __init__(
        self,
        *,
        sessions: Sessions,
        plans: Plans,
        queue: OperationQueue,
        events: Events,
        credentials: CredentialSource,
        providers: SpeechProviders,
        head_starts: HeadStarts,
        planning_turn: Turn,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._clock = clock
        self._sessions = sessions
        self._plans = plans
        self._queue = queue
        self._events = events
        self._credentials = credentials
        self._providers = providers
        self._head_starts = head_starts
        self._planning_turn = planning_turn

    async def start(self, request: StartRequest) -> Started:
        plan = await self._plans.plan(request.reading_ref, request.options, turn=self._planning_turn)
        provider = await self._credentials.resolve(request.settings.provider_ref)
        settings = await self._complete(request.settings, plan, provider)
        session = Session(
            session_id=session_id_of(request.owner_id, request.document_id, plan.plan_id, settings),
            owner_id=request.owner_id,
            document_id=request.document_id,
            reading_ref=request.reading_ref,
            plan_id=plan.plan_id,
            options=request.options,
            settings=settings,
            extent=request.extent,
            usage_account=request.usage_account,
        )
        ordinal = _start_ordinal(plan, request.start)
        self._head_starts.begin(session, plan.segments[ordinal], self._providers.open(provider))
        try:
            await asyncio.gather(
                self._sessions.save(session),
                self._sessions.set_cursor(session.session_id, ordinal, playing=True),
            )
            await self._submit(session.session_id, again=True)
        except BaseException:
            self._head_starts.call_off(session.session_id)
            raise
        return Started(session, plan, ordinal)

    async def plan_of(self, session_id: str) -> Plan:
        session = await self._sessions.get(session_id)
        return await self._plans.plan(session.reading_ref, session.options)

    async def move(self, session_id: str, ordinal: int, *, playing: bool) -> None:
        """The listener is at the ordinal now; generation is woken if it rests and is needed."""
        session = await self._sessions.get(session_id)
        plan = await self._plans.plan(session.reading_ref, session.options)
        if not 0 <= ordinal < len(plan.segments):
            raise LecternError(Code.OUT_OF_RANGE, "There is no such segment.", reason="ORDINAL_OUT_OF_RANGE")
        await self._sessions.set_cursor(session_id, ordinal, playing=playing)
        if playing and await self._may_need_run(session_id, ordinal):
            await self._submit(session_id, again=True)

    async def look_again(self, session_id: str) -> None:
        """For a move that came while a run was ending: the mover saw a run, the run didn't see the move."""
        cursor = await self._sessions.cursor(session_id)
        if cursor is None or not cursor.playing or cursor.is_gone(self._clock()):
            return
        if await self._may_need_run(session_id, cursor.ordinal):
            await self._submit(session_id, again=True)

    async def remake(self, session_id: str, ordinal: int) -> None:
        """Tells everybody that announced speech is gone from the cache, and has it made again."""
        await self._events.publish(session_topic(session_id), to_payload(SegmentLost(ordinal)))
        await self.move(session_id, ordinal, playing=True)

    async def tell_lost(self, session_id: str, failure: OperationFailure) -> None:
        """To whoever listens: their run ended before it could tell anybody."""
        problem = ProblemOccurred(failure.code, failure.message, failure.retryable)
        for announcement in (problem, StateChanged(GenerationState.STOPPED)):
            await self._events.publish(session_topic(session_id), to_payload(announcement))

    async def is_generating(self, session_id: str) -> bool:
        record = await self._record(session_id)
        return record is not None and not record.state.is_terminal

    async def cancel(self, session_id: str) -> None:
        self._head_starts.call_off(session_id)
        await self._sessions.get(session_id)
        if await self._record(session_id) is not None:
            await self._queue.cancel(operation_id_of(OperationKind.PLAYBACK, session_id))

    async def _complete(self, settings: VoiceSettings, plan: Plan, provider: Provider) -> VoiceSettings:
        language = settings.language or plan.language or "en"
        model = settings.model or provider.default_model
        voice = settings.voice or await self._default_voice(provider, model, language)
        return VoiceSettings(
            provider_ref=settings.provider_ref,
            model=model,
            voice=voice,
            instructions=settings.instructions or provider.default_instructions,
            native_speed=settings.native_speed or 1.0,
            language=language,
            pronunciation=settings.pronunciation,
        )

    async def _default_voice(self, provider: Provider, model: str, language: str) -> str:
        speech = self._providers.open(provider)
        with contextlib.suppress(LecternError, TimeoutError):
            async with asyncio.timeout(VOICES_SECONDS):
                await speech.list_voices(model)  # what the provider has decides what its default is
        return speech.default_voice(model, language)

    async def _submit(self, session_id: str, *, again: bool) -> OperationRecord:
        return await self._queue.submit(
            OperationKind.PLAYBACK, session_id, {"session_id": session_id}, again=again
        )

    async def _record(self, session_id: str) -> OperationRecord | None:
        try:
            return await self._queue.get(operation_id_of(OperationKind.PLAYBACK, session_id))
        except LecternError as error:
            if error.code is Code.NOT_FOUND:
                return None
            raise

    async def _may_need_run(self, session_id: str, ordinal: int) -> bool:
        """Only starting anew runs after a failure: a broken provider isn't asked every few seconds."""
        record = await self._record(session_id)
        if record is None or record.state is OperationState.QUEUED:
            return True  # submitting again is idempotent, and mends a submit that was cut short
        if record.state is not OperationState.SUCCEEDED:
            return False
        return ending_of(record.result_ref).needs_run_at(ordinal)


def _start_ordinal(plan: Plan, start: int | tuple[str, int]) -> int:
    if isinstance(start, tuple):
        return plan.ordinal_at(*start)
    if not 0 <= start < len(plan.segments):
        raise LecternError(Code.OUT_OF_RANGE, "There is no such segment.", reason="ORDINAL_OUT_OF_RANGE")
    return start
