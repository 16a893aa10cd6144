"""What is held of finished speech in memory, under limits that may change."""

from compute_worker.playback.speech_cache import SpeechCache
from compute_worker.speech.model import FRAME_BYTES, SpokenSegment
from shared.objects.memory_store import MemoryStore


def segment(frames: int) -> SpokenSegment:
    return SpokenSegment(bytes(frames * FRAME_BYTES), (), exact=True)


def test_a_smaller_limit_drops_the_oldest_at_once() -> None:
    cache = SpeechCache(store=MemoryStore(), clock=lambda: 0.0)
    for key in ("one", "two", "three"):
        cache.hold(key, segment(10))
    cache.limit(max_bytes=20 * FRAME_BYTES, ttl_seconds=60)
    assert [cache.in_memory(key) is not None for key in ("one", "two", "three")] == [False, True, True]


def test_a_shorter_time_to_live_holds_for_what_is_there() -> None:
    now = 0.0
    cache = SpeechCache(store=MemoryStore(), clock=lambda: now)
    cache.hold("one", segment(1))
    now = 10.0
    assert cache.in_memory("one")
    cache.limit(max_bytes=1_000_000, ttl_seconds=5)
    assert cache.in_memory("one") is None
