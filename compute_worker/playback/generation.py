"""One generation run: stays a window ahead of the listener's cursor, and knows when to stop."""

import asyncio
import time
from collections.abc import Callable, Sequence

import structlog

from compute_worker.credentials.metering import SpeechLimitError
from compute_worker.operations.events import Events
from compute_worker.playback.announcements import (
    RULE_LEFT_OUT,
    Announcement,
    GenerationState,
    ProblemOccurred,
    SegmentLost,
    SegmentReady,
    StateChanged,
    segment_ready,
    session_topic,
    to_payload,
)
from compute_worker.playback.endings import IDLE, Ending, complete, limited
from compute_worker.playback.feed import SessionFeed
from compute_worker.playback.head_start import EarlyOrder
from compute_worker.playback.model import Plan, Segment, Session
from compute_worker.playback.sessions import CursorView
from compute_worker.playback.speaker import Obtained, ProviderSource, SegmentSpeaker, Ticket
from compute_worker.playback.speaking_turn import SpeakingTurn, action_of
from compute_worker.playback.started_speech import StartedSpeech
from compute_worker.playback.window import wanted
from compute_worker.speech.model import FRAME_MS, SpokenSegment
from shared.errors import Code, LecternError
from shared.pronunciation import PronunciationRule

MAX_IN_FLIGHT = 4
MOST_IN_FLIGHT = 8  # with those of places that the listener has left meanwhile
FAILED_SEGMENT_FRAMES = 21  # about half a second of silence where speech is missing
OWN_TROUBLE = frozenset(
    {"OBJECT_STORE_UNAVAILABLE", "BROKER_UNAVAILABLE", "JOB_STATES_FULL", "METER_UNAVAILABLE"}
)
OWN_TROUBLE_SECONDS = 30.0  # as long as a part of ours may be away before we give up
OWN_TROUBLE_PAUSE_SECONDS = 0.3
FAILURES_BEFORE_STOP = 3  # in a row: then it is not the text's fault
LOOK_AGAIN_SECONDS = 1.0
PAUSED_RUN_SECONDS = 20.0  # a paused listener with a full window needs no run
UNEXPECTED = "Something went wrong on our side. Press play to try again."

TEXT_AT_FAULT = frozenset({Code.INVALID_ARGUMENT, Code.OUT_OF_RANGE, Code.DATA_LOSS})
UNSAYABLE = frozenset({"NOTHING_TO_SAY"})  # a script the voice doesn't know: no failure, just silence
SETTINGS_AT_FAULT = frozenset({"VOICE_UNKNOWN"})  # no other segment would fare better

log = structlog.get_logger(__name__)


class GenerationRun:
    def __init__(
        self,
        *,
        session: Session,
        plan: Plan,
        cursor: CursorView,
        feed: SessionFeed,
        events: Events,
        speaker: SegmentSpeaker,
        provider: ProviderSource,
        turn: SpeakingTurn,
        started: StartedSpeech,
        take_over: Callable[[int], EarlyOrder | None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """take_over: what was ordered of an ordinal before the run began."""
        self._session = session
        self._plan = plan
        self._cursor = cursor
        self._feed = feed
        self._events = events
        self._speaker = speaker
        self._provider = provider
        self._turn = turn
        self._started = started
        self._take_over = take_over
        self._awaited_turn: tuple[
            asyncio.Task[None], ...
        ] = ()  # something is to be made, and it isn't our turn
        self._clock = clock
        self._is_over = False
        self._orders: dict[int, tuple[Ticket, asyncio.Task[Obtained]]] = {}
        self._refinements: dict[int, asyncio.Task[SpokenSegment | None]] = {}
        self._refined: set[int] = set()  # in this run, whatever came of it
        self._unannounced: set[int] = set()  # known on this worker, but not to others yet
        self._failed: set[int] = set()  # in this run: an earlier one's failures are tried again
        self._failures_in_row = 0
        self._needed: Sequence[int] = ()
        self._limits: dict[int, SpeechLimitError] = {}  # what may not be made, in this run
        self._rules_told: set[PronunciationRule] = set()
        self._state: GenerationState | None = None
        self._full_since: float | None = None
        self._trouble_since: float | None = None

    async def run(self) -> str:
        """Generates until nobody needs more, or nobody may have more. Returns the Ending's text. Raises
        LecternError when going on makes no sense."""
        cursor_changed = asyncio.create_task(self._cursor.changed())
        try:
            while True:
                self._order_missing()
                result = await self._rest_if_full()
                if result is not None:
                    return result.text
                tasks = {task for _, task in self._orders.values()}
                done, _ = await asyncio.wait(
                    {*tasks, *self._refinements.values(), *self._awaited_turn, cursor_changed},
                    timeout=LOOK_AGAIN_SECONDS,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if cursor_changed in done:
                    cursor_changed = asyncio.create_task(self._cursor.changed())
                await self._collect()
                await self._collect_refined()
        except LecternError as error:
            if error.reason == "BROKER_UNAVAILABLE":
                raise  # nobody can be told; whoever begins the job again finds the broker or not
            await self._stop(error)
            raise LecternError(error.code, error.message, reason=error.reason, retryable=False) from error
        except Exception:  # listeners must not wait for a run that is no more; the runner logs it
            await self._stop(LecternError(Code.INTERNAL, UNEXPECTED))
            raise
        finally:
            self._is_over = True
            cursor_changed.cancel()
            await self._turn.close()
            await self._end_orders()
            # The feed may outlive this run: the next one has to find what is still to be announced.
            for ordinal in self._unannounced:
                await self._feed.learn(SegmentLost(ordinal))

    def _order_missing(self) -> None:
        ordinal = min(self._cursor.current.ordinal, len(self._plan.segments) - 1)
        needed = wanted(
            self._plan, self._cursor.current, self._clock(), self._session.extent, self._duration_ms
        )
        self._needed = needed
        self._awaited_turn = ()
        self._drop_unwanted(needed)
        self._refine_known(needed)
        # Nothing competes with the segment that the listener is waiting for, and it waits for nothing.
        limit = MAX_IN_FLIGHT if self._is_settled(ordinal) else 1
        for candidate in needed:
            if len(self._orders) >= (MOST_IN_FLIGHT if candidate == ordinal else limit):
                return
            if candidate in self._orders or candidate in self._limits or self._is_settled(candidate):
                continue
            if not self._turn.is_there(action_of(self._cursor.current, self._session.extent, self._clock())):
                self._awaited_turn = self._turn.awaited
                return
            self._order(candidate)

    def _drop_unwanted(self, needed: Sequence[int]) -> None:
        for ordinal, (ticket, task) in list(self._orders.items()):
            if ordinal not in needed and not ticket.sent:
                task.cancel()
                del self._orders[ordinal]

    def _order(self, ordinal: int) -> None:
        segment = self._plan.segments[ordinal]
        before = max((known for known in self._orders if known < ordinal), default=None)

        async def on_first_frames(frames: bytes) -> None:
            if not self._is_over:
                await self._feed.begin(ordinal, frames)

        async def on_audio(spoken: SpokenSegment) -> None:
            # Listeners of this worker need not wait until the others can hear it too.
            if not self._is_over:  # or the next run, which has to announce it, would take it for announced
                self._unannounced.add(ordinal)
                await self._feed.learn(segment_ready(segment, spoken, cached=False))

        early = self._take_over(ordinal)
        if early is not None:
            ticket, speech = early.ticket, early.obtain(on_first_frames, on_audio)
        else:
            ticket = Ticket(
                account=self._session.usage_account,
                before=None if before is None else self._orders[before][0],
                on_first_frames=on_first_frames,
            )
            speech = self._speaker.obtain(segment, self._session.settings, self._provider, ticket, on_audio)
        task = asyncio.create_task(speech)
        task.add_done_callback(lambda done: _settle(ticket, done))
        if early is not None:
            task.add_done_callback(early.let_go)
        self._orders[ordinal] = (ticket, task)

    async def _collect(self) -> None:
        for ordinal, (_, task) in list(self._orders.items()):
            if not task.done():
                continue
            del self._orders[ordinal]
            try:
                obtained = task.result()
            except SpeechLimitError as error:
                self._limits[ordinal] = error  # others may be in the cache
                continue
            except LecternError as error:
                if error.reason in OWN_TROUBLE:
                    await self._sit_out(error)
                else:
                    await self._fail_segment(ordinal, error)
                continue
            self._failures_in_row = 0
            self._trouble_since = None
            segment = self._plan.segments[ordinal]
            await self._announce(segment_ready(segment, obtained.spoken, cached=obtained.cached))
            await self._tell_rules_left_out(segment)
            self._refine(ordinal, obtained.spoken)

    async def _tell_rules_left_out(self, segment: Segment) -> None:
        """Once for each rule: whoever wrote it can make it simpler."""
        for rule in self._speaker.rules_left_out(segment, self._session.settings):
            if rule not in self._rules_told:
                self._rules_told.add(rule)
                message = (
                    f"The pronunciation rule “{rule.pattern}” takes too long here and is left out. "
                    "Make it simpler."
                )
                await self._announce(
                    ProblemOccurred(RULE_LEFT_OUT, message, retryable=False, ordinal=segment.ordinal)
                )

    def _refine_known(self, needed: Sequence[int]) -> None:
        """What an earlier run announced with estimated words, and then ended."""
        for ordinal in needed:
            known = self._feed.segments.get(ordinal)
            if known and not known.exact and not known.failed and ordinal not in self._orders:
                self._refine(ordinal, None)

    def _refine(self, ordinal: int, spoken: SpokenSegment | None) -> None:
        if ordinal not in self._refined:
            self._refined.add(ordinal)
            self._refinements[ordinal] = asyncio.create_task(self._measured(ordinal, spoken))

    async def _measured(self, ordinal: int, spoken: SpokenSegment | None) -> SpokenSegment | None:
        segment, settings = self._plan.segments[ordinal], self._session.settings
        found = spoken or await self._speaker.find(segment, settings, exact=True)
        if found is None or not self._speaker.can_refine(found):
            return found if spoken is None else None
        return await self._speaker.refine(segment, settings, found)

    async def _collect_refined(self) -> None:
        """Announces a segment once more when its words have been measured; it is heard without them too."""
        for ordinal, task in list(self._refinements.items()):
            if not task.done():
                continue
            del self._refinements[ordinal]
            try:
                spoken = task.result()
            except LecternError as error:
                log.warning("words were not measured", ordinal=ordinal, reason=error.reason)
            except Exception:  # whatever it is, the sound goes on
                log.exception("words were not measured", ordinal=ordinal)
            else:
                if spoken is not None and spoken.exact:
                    await self._announce(segment_ready(self._plan.segments[ordinal], spoken, cached=True))

    async def _sit_out(self, error: LecternError) -> None:
        """A part of ours that is being restarted is no reason to stop: the segment is ordered again."""
        if self._trouble_since is None:
            self._trouble_since = self._clock()
            log.warning("waiting for a part to come back", reason=error.reason)
        if self._clock() - self._trouble_since > OWN_TROUBLE_SECONDS:
            raise error
        await asyncio.sleep(OWN_TROUBLE_PAUSE_SECONDS)

    async def _fail_segment(self, ordinal: int, error: LecternError) -> None:
        self._failed.add(ordinal)
        if error.reason in UNSAYABLE:
            return await self._announce(self._silence(ordinal))
        self._failures_in_row += 1
        is_texts_fault = (
            error.code in TEXT_AT_FAULT or error.reason.startswith("AUDIO_")
        ) and error.reason not in SETTINGS_AT_FAULT
        if not is_texts_fault or self._failures_in_row >= FAILURES_BEFORE_STOP:
            raise error
        log.warning("skipping a segment", ordinal=ordinal, reason=error.reason)
        await self._announce(self._silence(ordinal))
        await self._announce(ProblemOccurred(error.reason, error.message, error.retryable, ordinal))
        return None

    def _silence(self, ordinal: int) -> SegmentReady:
        pause_frames = self._plan.segments[ordinal].pause_frames
        return SegmentReady(
            ordinal, FAILED_SEGMENT_FRAMES, pause_frames, exact=False, failed=True, cached=False
        )

    async def _rest_if_full(self) -> Ending | None:
        """Announces what we are doing; the run's ending when nothing is left to do."""
        if self._orders or self._awaited_turn:
            self._full_since = None
            await self._set_state(GenerationState.GENERATING)
            return None
        refused = [ordinal for ordinal in self._needed if ordinal in self._limits]
        if refused:
            await self._tell_limit(self._limits[refused[0]])
        if self._refinements:
            return None
        if refused:
            return limited(min(self._cursor.current.ordinal, refused[0]), refused[0])
        cursor, now = self._cursor.current, self._clock()
        if all(self._is_settled(o) for o in range(cursor.ordinal, len(self._plan.segments))):
            await self._set_state(GenerationState.COMPLETE)
            return complete(cursor.ordinal)
        await self._turn.rest()
        await self._set_state(GenerationState.WAITING)
        if self._full_since is None:
            self._full_since = now
        if cursor.is_gone(now) or (not cursor.playing and now - self._full_since > PAUSED_RUN_SECONDS):
            return IDLE
        return None

    async def _set_state(self, state: GenerationState) -> None:
        if state is not self._state:
            self._state = state
            await self._announce(StateChanged(state))

    async def _tell_limit(self, error: SpeechLimitError) -> None:
        """What is there of the window has been announced by now, and can be heard."""
        if self._state is GenerationState.STOPPED:
            return
        log.info("generation stops at a limit", reason=error.reason)
        problem = ProblemOccurred(
            error.reason, error.message, retryable=False, resets_at_ms=error.resets_at_ms
        )
        await self._announce(problem)
        await self._set_state(GenerationState.STOPPED)

    async def _stop(self, error: LecternError) -> None:
        log.warning("generation stops", reason=error.reason, code=error.code.name)
        try:
            await self._announce(ProblemOccurred(error.reason, error.message, error.retryable))
            await self._set_state(GenerationState.STOPPED)
        except LecternError:
            log.warning("listeners could not be told")

    async def _announce(self, announcement: Announcement) -> None:
        if isinstance(announcement, SegmentReady):
            self._unannounced.add(announcement.ordinal)
        await self._feed.learn(announcement)
        payload = to_payload(announcement)
        while True:
            try:
                await self._events.publish(session_topic(self._session.session_id), payload)
            except LecternError as error:
                if error.reason not in OWN_TROUBLE:
                    raise
                await self._sit_out(error)
            else:
                break
        self._trouble_since = None
        if isinstance(announcement, SegmentReady):
            self._unannounced.discard(announcement.ordinal)

    async def _end_orders(self) -> None:
        """What a provider was asked for already is made and stored without us: it has been paid for."""
        for ticket, task in self._orders.values():
            if ticket.sent:
                self._started.finish(task)
            else:
                task.cancel()
        for refinement in self._refinements.values():
            refinement.cancel()
        unsent = [task for ticket, task in self._orders.values() if not ticket.sent]
        await asyncio.gather(*unsent, *self._refinements.values(), return_exceptions=True)

    def _is_settled(self, ordinal: int) -> bool:
        if ordinal in self._orders or ordinal in self._unannounced:
            return False
        known = self._feed.segments.get(ordinal)
        return known is not None and (not known.failed or ordinal in self._failed)

    def _duration_ms(self, ordinal: int) -> int | None:
        known = self._feed.segments.get(ordinal)
        return None if known is None else known.total_frames * FRAME_MS


def _settle(ticket: Ticket, task: "asyncio.Task[Obtained]") -> None:
    error = None if task.cancelled() else task.exception()
    if isinstance(error, SpeechLimitError):
        ticket.refusal = error
    ticket.settle()
