"""What this worker knows of a session's segments: replayed from the events, then followed.

One feed per session and process, shared by its generation run and all its listeners here.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import structlog

from compute_worker.operations.broker import broker_unavailable
from compute_worker.operations.events import Events
from compute_worker.playback.announcements import (
    Announcement,
    GenerationState,
    ProblemOccurred,
    SegmentLost,
    SegmentReady,
    StateChanged,
    from_payload,
    session_topic,
)
from shared.errors import LecternError

CATCH_UP_SECONDS = 5.0

log = structlog.get_logger(__name__)


@dataclass
class SessionFeed:
    segments: dict[int, SegmentReady] = field(default_factory=dict)
    begun: dict[int, bytes] = field(default_factory=dict)  # first frames of what is being encoded here
    state: GenerationState | None = None
    is_limited: bool = False  # generation stopped at a limit, and at nothing else
    caught_up: asyncio.Event = field(default_factory=asyncio.Event)  # all that was stored is replayed
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def learn(self, news: Announcement) -> None:
        if isinstance(news, SegmentReady):
            self.segments[news.ordinal] = news
            self.begun.pop(news.ordinal, None)
        elif isinstance(news, SegmentLost):
            self.segments.pop(news.ordinal, None)
            self.begun.pop(news.ordinal, None)
        elif isinstance(news, StateChanged):
            self.state = news.state
            self.is_limited = self.is_limited and news.state is GenerationState.STOPPED
        elif isinstance(news, ProblemOccurred):
            self.is_limited = news.resets_at_ms > 0
        async with self._changed:
            self._changed.notify_all()

    async def begin(self, ordinal: int, frames: bytes) -> None:
        """The segment's first frames can be heard; the others will follow."""
        self.begun[ordinal] = frames
        async with self._changed:
            self._changed.notify_all()

    async def wait(self, ordinal: int, timeout_seconds: float, *, has_begun: bool = False) -> bool:
        """Until the segment is known, or begun where it had not; False when the time is over or generation
        stopped."""

        def is_news() -> bool:
            return ordinal in self.segments or (ordinal in self.begun and not has_begun)

        try:
            async with asyncio.timeout(timeout_seconds), self._changed:
                await self._changed.wait_for(lambda: is_news() or self.state is GenerationState.STOPPED)
        except TimeoutError:
            return False
        return is_news()

    def total_frames(self, start: int, end: int) -> int | None:
        """Frames of segments [start, end) with their pauses, None while one of them is unknown."""
        total = 0
        for ordinal in range(start, end):
            segment = self.segments.get(ordinal)
            if segment is None:
                return None
            total += segment.total_frames
        return total


class Feeds:
    def __init__(self, *, events: Events) -> None:
        self._events = events
        self._feeds: dict[str, SessionFeed] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._users: Counter[str] = Counter()

    @asynccontextmanager
    async def open(self, session_id: str) -> AsyncIterator[SessionFeed]:
        """The feed, caught up with what is stored."""
        feed = self._feeds.get(session_id)
        if feed is None:
            feed = self._feeds[session_id] = SessionFeed()
            self._tasks[session_id] = asyncio.create_task(self._follow(session_id, feed))
        self._users[session_id] += 1
        try:
            async with asyncio.timeout(CATCH_UP_SECONDS):
                await feed.caught_up.wait()
            yield feed
        except TimeoutError as error:
            raise broker_unavailable(error) from error
        finally:
            self._users[session_id] -= 1
            if not self._users[session_id]:
                del self._users[session_id]
                del self._feeds[session_id]
                self._tasks.pop(session_id).cancel()

    async def _follow(self, session_id: str, feed: SessionFeed) -> None:
        try:
            async with self._events.follow(session_topic(session_id)) as following:
                for event in await following.stored():
                    await feed.learn(from_payload(event.payload))
                feed.caught_up.set()
                while True:
                    await feed.learn(from_payload((await following.queue.get()).payload))
        except LecternError as error:
            log.warning("cannot follow a session", session_id=session_id, reason=error.reason)
