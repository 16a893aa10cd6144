"""The stream's bytes where speech is in the cache, but nobody has announced it to this session yet."""

import asyncio
from types import SimpleNamespace

import pytest

from compute_worker.playback.announcements import SegmentReady
from compute_worker.playback.audio_stream import AudioStream
from compute_worker.playback.feed import SessionFeed
from compute_worker.playback.model import Plan, Segment
from compute_worker.speech.model import FRAME_BYTES, SpokenSegment

FRAMES, PAUSE = 10, 2
SEGMENT_BYTES = (FRAMES + PAUSE) * FRAME_BYTES
SPOKEN = SpokenSegment(bytes(FRAMES * FRAME_BYTES), (), exact=True)


class CachedSpeech:
    """A speaker that has everything."""

    async def find(self, *_: object) -> SpokenSegment:
        return SPOKEN


def segment(ordinal: int) -> Segment:
    return Segment(ordinal, 0, f"0-{ordinal}", 0, 5, 0, 1, PAUSE, "Word.", "en")


@pytest.fixture
def feed() -> SessionFeed:
    return SessionFeed()


@pytest.fixture
def stream(feed: SessionFeed) -> AudioStream:
    plan = Plan("plan", "reading", "en", (), tuple(segment(ordinal) for ordinal in range(5)))
    return AudioStream(
        session=SimpleNamespace(settings=None),
        plan=plan,
        feed=feed,
        speaker=CachedSpeech(),
        playback=SimpleNamespace(),
        start_ordinal=1,
        skip_frames=1,
    )


async def test_cached_speech_counts_before_it_is_announced(stream):
    known = await asyncio.wait_for(stream.known_beyond(SEGMENT_BYTES), 5)
    assert known == 2 * SEGMENT_BYTES - FRAME_BYTES


async def test_what_is_announced_counts_as_far_as_it_goes_without_a_gap(stream, feed):
    for ordinal in (1, 2, 4):
        feed.segments[ordinal] = SegmentReady(ordinal, FRAMES, PAUSE, exact=True, failed=False, cached=False)
    assert await stream.known_beyond(0) == 2 * SEGMENT_BYTES - FRAME_BYTES
    assert await stream.known_beyond(3 * SEGMENT_BYTES) == 4 * SEGMENT_BYTES - FRAME_BYTES


async def test_beyond_the_end_there_are_the_bytes_that_there_are(stream):
    assert await stream.known_beyond(10**9) == 4 * SEGMENT_BYTES - FRAME_BYTES
