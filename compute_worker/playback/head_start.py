"""A session's first segment, ordered while its run is still on its way through the queue.

A run that begins here takes the order over; one elsewhere finds the segment claimed. Nothing is made twice.
"""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self

import structlog

from compute_worker.operations.events import Events
from compute_worker.playback.announcements import segment_ready, session_topic, to_payload
from compute_worker.playback.model import Extent, Segment, Session
from compute_worker.playback.speaker import Obtained, OnAudio, SegmentSpeaker, Ticket
from compute_worker.playback.speaking_turn import LISTENING, SPEAKING_AHEAD
from compute_worker.playback.started_speech import StartedSpeech
from compute_worker.speech.model import SpokenSegment
from compute_worker.speech.ports import OnFirstFrames, SpeechProvider
from shared.errors import LecternError

KEPT_SECONDS = 5.0  # for a run that waits in the queue
ELSEWHERE_SECONDS = 0.1  # a run that has not asked by then is most likely another worker's

log = structlog.get_logger(__name__)


class EarlyOrder:
    """What there is to tell is kept for the run that takes it over."""

    def __init__(self, *, account: str) -> None:
        self.ticket = Ticket(account=account, on_first_frames=self._on_first_frames)
        self.begun_at = asyncio.get_running_loop().time()
        self.speech: asyncio.Task[Obtained]  # set by whoever made the order
        self._frames: bytes | None = None
        self._spoken: SpokenSegment | None = None
        self._tell: tuple[OnFirstFrames, OnAudio] | None = None

    async def obtain(self, on_first_frames: OnFirstFrames, on_audio: OnAudio) -> Obtained:
        """As if it were ordered now."""
        self._tell = on_first_frames, on_audio
        if self._frames is not None:
            await on_first_frames(self._frames)
        if self._spoken is not None:
            await on_audio(self._spoken)
        return await self.speech

    def let_go(self, _done: object) -> None:
        """For when the task that obtains it is done, which may have been cancelled before it began."""
        self.speech.cancel()

    async def on_audio(self, spoken: SpokenSegment) -> None:
        if self._tell is None:
            self._spoken = spoken
        else:
            await self._tell[1](spoken)

    async def _on_first_frames(self, frames: bytes) -> None:
        if self._tell is None:
            self._frames = frames
        else:
            await self._tell[0](frames)


class HeadStarts:
    def __init__(
        self,
        *,
        speaker: SegmentSpeaker,
        events: Events,
        started: StartedSpeech,
        is_free_for_all: Callable[[str], bool],
    ) -> None:
        """is_free_for_all: whether a run never waits for its turn as that action."""
        self._speaker = speaker
        self._events = events
        self._started = started
        self._is_free_for_all = is_free_for_all
        self._orders: dict[tuple[str, int], EarlyOrder] = {}
        self._ends: dict[tuple[str, int], asyncio.TimerHandle] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        given_up = [self._give_up(*name) for name in list(self._orders)]
        unsent = [order.speech for order in given_up if not order.ticket.sent]
        await asyncio.gather(*unsent, return_exceptions=True)

    def begin(self, session: Session, segment: Segment, provider: SpeechProvider) -> None:
        """Harmless for what is there or being made already."""
        name = session.session_id, segment.ordinal
        is_known = name in self._orders or self._speaker.in_memory(segment, session.settings) is not None
        if is_known or not all(self._is_free_for_all(action) for action in _actions(session)):
            return
        order = EarlyOrder(account=session.usage_account)
        order.speech = asyncio.create_task(self._speak(order, session, segment, provider))
        order.speech.add_done_callback(_looked_at)
        self._orders[name] = order
        self._ends[name] = asyncio.get_running_loop().call_later(KEPT_SECONDS, self._give_up, *name)

    def take_over(self, session_id: str, ordinal: int) -> EarlyOrder | None:
        name = session_id, ordinal
        order = self._orders.pop(name, None)
        if order is not None:
            self._ends.pop(name).cancel()
        return order

    def call_off(self, session_id: str) -> None:
        """What is not sent yet: the session is not to be heard."""
        for name in [name for name in self._orders if name[0] == session_id]:
            self._give_up(*name)

    def _give_up(self, session_id: str, ordinal: int) -> EarlyOrder:
        """What a provider was asked for is finished all the same."""
        self._ends.pop((session_id, ordinal)).cancel()
        order = self._orders.pop((session_id, ordinal))
        if order.ticket.sent or order.speech.done():
            self._started.finish(order.speech)
        else:
            order.speech.cancel()
        return order

    async def _speak(
        self, order: EarlyOrder, session: Session, segment: Segment, provider: SpeechProvider
    ) -> Obtained:
        async def known_provider() -> SpeechProvider:
            return provider

        obtained = await self._speaker.obtain(
            segment, session.settings, known_provider, order.ticket, order.on_audio
        )
        age_seconds = asyncio.get_running_loop().time() - order.begun_at
        if age_seconds >= ELSEWHERE_SECONDS and order in self._orders.values():
            await self._announce(session, segment, obtained)
        return obtained

    async def _announce(self, session: Session, segment: Segment, obtained: Obtained) -> None:
        """The run looks at the claim a few times a second; who listens need not wait for that."""
        ready = segment_ready(segment, obtained.spoken, cached=obtained.cached)
        try:
            await self._events.publish(session_topic(session.session_id), to_payload(ready))
        except LecternError as error:
            log.info("a first segment is left to be announced by its run", reason=error.reason)


def _looked_at(speech: "asyncio.Task[Obtained]") -> None:
    """What went wrong is told by the run, if one wants it; it makes the segment anew if not."""
    if not speech.cancelled():
        speech.exception()


def _actions(session: Session) -> tuple[str, ...]:
    """What its runs may be to the compute limits."""
    return (LISTENING, SPEAKING_AHEAD) if session.extent is Extent.DOCUMENT else (LISTENING,)
