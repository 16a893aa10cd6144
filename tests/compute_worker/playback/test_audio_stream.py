"""The stream's bytes where speech is in the cache, but nobody has announced it to this session yet."""

import asyncio
from types import SimpleNamespace

import pytest

from compute_worker.playback.announcements import SegmentReady
from compute_worker.playback.audio_stream import AudioStream, StreamBrokenError
from compute_worker.playback.feed import SessionFeed
from compute_worker.playback.model import Plan, Segment
from compute_worker.speech.model import FRAME_BYTES, SpokenSegment

FRAMES, PAUSE = 10, 2
SEGMENT_BYTES = (FRAMES + PAUSE) * FRAME_BYTES
SPOKEN = SpokenSegment(bytes(FRAMES * FRAME_BYTES), (), exact=True)


class CachedSpeech:
    """A speaker that has everything, unless a test says what it has."""

    spoken: SpokenSegment | None = SPOKEN

    async def find(self, *_: object) -> SpokenSegment | None:
        return self.spoken


def segment(ordinal: int) -> Segment:
    return Segment(ordinal, 0, f"0-{ordinal}", 0, 5, 0, 1, PAUSE, "Word.", "en")


@pytest.fixture
def feed() -> SessionFeed:
    return SessionFeed()


@pytest.fixture
def speech() -> CachedSpeech:
    return CachedSpeech()


@pytest.fixture
def stream(feed: SessionFeed, speech: CachedSpeech) -> AudioStream:
    plan = Plan("plan", "reading", "en", (), tuple(segment(ordinal) for ordinal in range(5)))
    return AudioStream(
        session=SimpleNamespace(settings=None),
        plan=plan,
        feed=feed,
        speaker=speech,
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


async def test_the_first_frames_are_heard_while_the_others_are_encoded(stream, feed, speech):
    whole = bytes(range(FRAMES)) * FRAME_BYTES
    first = whole[: 3 * FRAME_BYTES]
    speech.spoken = None
    chunks = stream.chunks()
    await feed.begin(1, first)
    assert await asyncio.wait_for(anext(chunks), 5) == first[FRAME_BYTES:]  # one frame is skipped
    speech.spoken = SpokenSegment(whole, (), exact=True)
    await feed.learn(SegmentReady(1, FRAMES, PAUSE, exact=True, failed=False, cached=False))
    rest = await asyncio.wait_for(anext(chunks), 5)
    assert rest[: -PAUSE * FRAME_BYTES] == whole[3 * FRAME_BYTES :]


async def test_what_was_begun_is_not_gone_on_with_by_other_speech(stream, feed, speech):
    speech.spoken = None
    chunks = stream.chunks()
    await feed.begin(1, b"x" * 3 * FRAME_BYTES)
    await asyncio.wait_for(anext(chunks), 5)
    speech.spoken = SPOKEN
    await feed.learn(SegmentReady(1, FRAMES, PAUSE, exact=True, failed=False, cached=False))
    with pytest.raises(StreamBrokenError):
        await asyncio.wait_for(anext(chunks), 5)
