"""A session's audio as one stream of frames: from a segment on, as soon as each exists."""

import asyncio
from collections.abc import AsyncIterator

from compute_worker.audio.encoder import silent_frames
from compute_worker.playback.feed import SessionFeed
from compute_worker.playback.model import Plan, Segment, Session
from compute_worker.playback.service import Playback
from compute_worker.playback.speaker import SegmentSpeaker
from compute_worker.speech.model import FRAME_BYTES, FRAME_MS
from shared.errors import Code, LecternError

WAIT_SECONDS = 2.0  # how long to wait for news before looking whether anybody still works on it


class StreamBrokenError(LecternError):
    """The stream can't go on; its connection must be reset, never ended politely."""

    def __init__(self) -> None:
        super().__init__(Code.DATA_LOSS, "The audio could not be continued.", reason="STREAM_BROKEN")


class AllowanceEndError(StreamBrokenError):
    """An allowance keeps the next segment from being made. Nothing is broken that was sent: the stream ends
    there properly, or browsers would not play the last seconds of what they got."""


class AudioStream:
    def __init__(
        self,
        *,
        session: Session,
        plan: Plan,
        feed: SessionFeed,
        speaker: SegmentSpeaker,
        playback: Playback,
        start_ordinal: int,
        skip_frames: int,
    ) -> None:
        self._session = session
        self._plan = plan
        self._feed = feed
        self._speaker = speaker
        self._playback = playback
        self._start = start_ordinal
        self._skip_bytes = skip_frames * FRAME_BYTES

    def total_bytes(self) -> int | None:
        """Exact once every segment to the document's end is known."""
        frames = self._feed.total_frames(self._start, len(self._plan.segments))
        return None if frames is None else max(frames * FRAME_BYTES - self._skip_bytes, 0)

    async def known_beyond(self, position: int) -> int:
        """Bytes from the start on that exist without a gap, once there are more than `position` of them, or
        as many as there will ever be. Raises StreamBrokenError."""
        known = -self._skip_bytes
        for segment in self._plan.segments[self._start :]:
            announced = self._feed.segments.get(segment.ordinal)
            if announced is not None:
                known += announced.total_frames * FRAME_BYTES
            elif known <= position:
                # Its speech may be in the cache long before anybody announces it here.
                known += sum([len(piece) async for piece in self._pieces(segment)])
            else:
                break
        return max(known, 0)

    async def chunks(self, first: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """Bytes [first, end) of the stream, a chunk a segment, and two for one that is being encoded here;
        only those before the end of an allowance. Raises StreamBrokenError."""
        skip = self._skip_bytes + first
        left = None if end is None else end - first
        for ordinal in range(self._start, len(self._plan.segments)):
            known = self._feed.segments.get(ordinal)
            if known is not None and known.total_frames * FRAME_BYTES <= skip:
                skip -= known.total_frames * FRAME_BYTES
                continue
            try:
                async for piece in self._pieces(self._plan.segments[ordinal]):
                    chunk, skip = piece[skip:], max(skip - len(piece), 0)
                    if left is not None:
                        chunk = chunk[:left]
                        left -= len(chunk)
                    if chunk:
                        yield chunk
                    if left == 0:
                        return
            except AllowanceEndError:
                return

    async def _pieces(self, segment: Segment) -> AsyncIterator[bytes]:
        """Speech and pause of one segment, waiting for it as long as somebody works on it."""
        begun = b""
        was_lost = False
        while True:
            known = self._feed.segments.get(segment.ordinal)
            if known is not None and known.failed and not begun:
                yield silent_frames(known.total_frames)
                return
            if not begun and (begun := self._feed.begun.get(segment.ordinal, b"")):
                yield begun
            elif (spoken := await self._speaker.find(segment, self._session.settings)) is not None:
                if not spoken.frames.startswith(begun):
                    raise StreamBrokenError  # somebody else has made it otherwise
                yield spoken.frames[len(begun) :] + silent_frames(segment.pause_frames)
                return
            elif known is not None:
                if was_lost:
                    raise StreamBrokenError
                was_lost = True
                await self._playback.remake(self._session.session_id, segment.ordinal)
            if not await self._feed.wait(segment.ordinal, WAIT_SECONDS, has_begun=bool(begun)):
                await self._check_somebody_works(may_end=not begun)

    async def _check_somebody_works(self, *, may_end: bool) -> None:
        """A stopped run ends the stream; a resting one is woken by the listener's cursor."""
        if self._feed.state is None:
            return
        if self._feed.state.value == "stopped" and not await self._playback.is_generating(
            self._session.session_id
        ):
            raise AllowanceEndError if self._feed.is_limited and may_end else StreamBrokenError
        await asyncio.sleep(0.05)  # the new run has not announced itself yet


def start_frames(plan: Plan, feed: SessionFeed, ordinal: int, at_ms: int) -> int:
    """How many frames to skip for `at_ms`, never more than the segment has where that is known."""
    skip = max(at_ms, 0) // FRAME_MS
    known = feed.segments.get(ordinal)
    limit = known.total_frames if known else len(plan.segments[ordinal].text) * 10
    return min(skip, limit)
