"""Finished speech, shared by all listeners: object storage, with a bounded layer in memory before it.

An audio object without its sidecar does not exist: the sidecar is written last and read first.
"""

import json
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

from compute_worker.playback.use_marks import UseMarks
from compute_worker.speech.model import FRAME_BYTES, SpokenSegment, WordTime
from shared.objects.ports import ObjectNotFoundError, ObjectStore

SIDECAR_VERSION = 1
WORD_COST_BYTES = 220  # a WordTime with its four numbers in memory, about


class SpeechCache:
    def __init__(
        self,
        *,
        store: ObjectStore,
        marks: UseMarks | None = None,
        max_bytes: int = 268_435_456,
        ttl_seconds: float = 1800.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._marks = marks
        self._max_bytes = max_bytes
        self._ttl_seconds = ttl_seconds
        self._clock = clock
        self._held: OrderedDict[str, tuple[float, SpokenSegment]] = OrderedDict()
        self._held_bytes = 0
        self._unstored: set[str] = set()  # held here, but nowhere else yet

    def limit(self, *, max_bytes: int, ttl_seconds: float) -> None:
        """What is held in memory from now on; the site's administrator may change it at any time."""
        self._max_bytes = max_bytes
        self._ttl_seconds = ttl_seconds
        self._drop_excess()

    def in_memory(self, key: str) -> SpokenSegment | None:
        found = self._held.get(key)
        if found is None:
            return None
        if self._clock() - found[0] > self._ttl_seconds:
            self._drop(key)
            return None
        self._held.move_to_end(key)
        return found[1]

    def is_stored(self, key: str) -> bool:
        """Whether others can find what is held here."""
        return key not in self._unstored

    async def find(self, key: str, *, exact: bool = False) -> SpokenSegment | None:
        """With exact, what is held here is not enough when its word times are only estimates: another worker
        may have measured them since."""
        held = self.in_memory(key)
        if held is not None and (held.exact or not exact):
            self._mark(key)
            return held
        try:
            sidecar = json.loads(await self._store.get(_sidecar_key(key)))
            frames = await self._store.get(_audio_key(key))
        except ObjectNotFoundError:
            return None
        if sidecar["version"] != SIDECAR_VERSION or len(frames) != sidecar["frames"] * FRAME_BYTES:
            return None
        words = tuple(WordTime(*word) for word in sidecar["words"])
        segment = SpokenSegment(frames, words, sidecar["exact"], sidecar.get("aligner", ""))
        self.hold(key, segment)
        self._mark(key)
        return segment

    async def save(self, key: str, segment: SpokenSegment, *, characters: int) -> None:
        await self._store.put(_audio_key(key), segment.frames, content_type="audio/mpeg")
        await self.save_words(key, segment, characters=characters)
        self._unstored.discard(key)

    async def save_words(self, key: str, segment: SpokenSegment, *, characters: int) -> None:
        """The sidecar alone, for audio that is stored already."""
        if self._marks is not None:
            self._marks.remember(key)  # what was just written says itself that it is in use
        sidecar = {
            "version": SIDECAR_VERSION,
            "frames": segment.frame_count,
            "exact": segment.exact,
            "aligner": segment.aligner,
            "characters": characters,
            "words": [[w.start_ms, w.end_ms, w.char_start, w.char_end] for w in segment.words],
        }
        await self._store.put(
            _sidecar_key(key),
            json.dumps(sidecar, separators=(",", ":")).encode(),
            content_type="application/json",
        )

    def hold(self, key: str, segment: SpokenSegment, *, is_stored: bool = True) -> None:
        self._drop(key)
        if not is_stored:
            self._unstored.add(key)
        self._held[key] = (self._clock(), replace(segment, samples=None))
        self._held_bytes += _cost(segment)
        self._drop_excess()

    def _mark(self, key: str) -> None:
        if self._marks is not None:
            self._marks.note(key)

    def _drop_excess(self) -> None:
        while self._held_bytes > self._max_bytes and len(self._held) > 1:
            self._drop(next(iter(self._held)))

    def _drop(self, key: str) -> None:
        found = self._held.pop(key, None)
        self._unstored.discard(key)
        if found is not None:
            self._held_bytes -= _cost(found[1])


def _cost(segment: SpokenSegment) -> int:
    return len(segment.frames) + WORD_COST_BYTES * len(segment.words)


def _audio_key(key: str) -> str:
    return f"speech/{key[:2]}/{key}.mp3"


def _sidecar_key(key: str) -> str:
    return f"speech/{key[:2]}/{key}.json"
