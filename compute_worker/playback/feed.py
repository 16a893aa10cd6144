"""What this worker knows of a session's segments: replayed from the events, then followed.

One feed per session and process, shared by its generation run and all its listeners here.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from compute_worker.operations.events import Events
from compute_worker.playback.announcements import (
    GenerationState,
    SegmentReady,
    StateChanged,
    from_payload,
    session_topic,
)


@dataclass
class SessionFeed:
    segments: dict[int, SegmentReady] = field(default_factory=dict)
    state: GenerationState | None = None
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _users: int = 0

    async def learn(self, news: SegmentReady | StateChanged) -> None:
        if isinstance(news, SegmentReady):
            self.segments[news.ordinal] = news
        else:
            self.state = news.state
        async with self._changed:
            self._changed.notify_all()

    async def wait(self, ordinal: int, timeout_seconds: float) -> SegmentReady | None:
        """The segment as soon as it is known; None when the time is over or generation stopped."""
        try:
            async with asyncio.timeout(timeout_seconds), self._changed:
                while ordinal not in self.segments and self.state is not GenerationState.STOPPED:
                    await self._changed.wait()
        except TimeoutError:
            return None
        return self.segments.get(ordinal)

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

    def here(self, session_id: str) -> SessionFeed | None:
        return self._feeds.get(session_id)

    @asynccontextmanager
    async def open(self, session_id: str) -> AsyncIterator[SessionFeed]:
        feed = self._feeds.get(session_id)
        if feed is None:
            feed = self._feeds[session_id] = SessionFeed()
            self._tasks[session_id] = asyncio.create_task(self._follow(session_id, feed))
        feed._users += 1  # noqa: SLF001 - the registry counts for the feed
        try:
            yield feed
        finally:
            feed._users -= 1  # noqa: SLF001
            if feed._users == 0:  # noqa: SLF001
                self._feeds.pop(session_id)
                self._tasks.pop(session_id).cancel()

    async def _follow(self, session_id: str, feed: SessionFeed) -> None:
        async with self._events.follow(session_topic(session_id)) as queue:
            while True:
                news = from_payload((await queue.get()).payload)
                if isinstance(news, SegmentReady | StateChanged):
                    await feed.learn(news)
