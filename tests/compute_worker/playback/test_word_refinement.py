"""From stored speech with estimated words to the same with measured ones."""

import asyncio
import statistics
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest
from voices.flite import say_with_flite

from compute_worker.alignment.aligner import AcousticAligner
from compute_worker.alignment.model import Alignment
from compute_worker.alignment.process import AlignmentProcess
from compute_worker.audio.media_tool import MediaTool, bundled_media_bin
from compute_worker.audio.normalizer import normalize_samples
from compute_worker.audio.pcm import Pcm, Samples
from compute_worker.playback.speech_cache import SpeechCache
from compute_worker.playback.word_refinement import WordRefinement
from compute_worker.speech.espeak_pool import EspeakPool
from compute_worker.speech.model import SpokenSegment, SynthesizedAudio, WordTime
from compute_worker.speech.synthesizer import make_segment
from shared.objects.memory_store import MemoryStore

TEXT = "The harbour was quiet when the ferry came in, and only two gulls noticed."
FOREIGN = "Seven sailors slept beneath the stairs, sharing a single striped blanket."
KEY = "a" * 64


@dataclass
class Parts:
    refinement: WordRefinement
    cache: SpeechCache

    async def refine(self, spoken: SpokenSegment, text: str = TEXT) -> SpokenSegment:
        return await self.refinement.refine(KEY, spoken, text, "en", characters=len(text))


@pytest.fixture
async def parts() -> AsyncIterator[Parts]:
    async with EspeakPool(size=1) as pool, AlignmentProcess(timeout_seconds=20) as process:
        cache = SpeechCache(store=MemoryStore())
        aligner = AcousticAligner(pool=pool, process=process)
        media_tool = MediaTool(media_bin=bundled_media_bin())
        yield Parts(WordRefinement(aligner=aligner, cache=cache, media_tool=media_tool), cache)


@pytest.fixture
def estimated() -> SpokenSegment:
    speech = say_with_flite("rms", [TEXT])[0]
    normalized = normalize_samples(Pcm(speech.samples, speech.sample_rate).at_stream_rate())
    return make_segment(TEXT, SynthesizedAudio(b""), normalized)


async def test_fresh_sound_and_the_stored_frames_give_the_same_times(parts, estimated):
    fresh = await parts.refine(estimated)
    assert fresh.exact
    again = SpeechCache(store=MemoryStore())  # another worker's, which never saw what was encoded
    parts.refinement._cache = again
    stored = await parts.refine(replace(estimated, samples=None))
    assert stored.exact
    shifts = [
        abs(one.start_ms - other.start_ms) for one, other in zip(fresh.words, stored.words, strict=True)
    ]
    assert statistics.median(shifts) <= 10  # one step; the noise may move a word more


async def test_the_sidecar_tells_the_times_and_who_found_them(parts, estimated):
    await parts.cache.save(KEY, estimated, characters=len(TEXT))
    refined = await parts.refine(estimated)
    elsewhere = SpeechCache(store=parts.cache._store)
    found = await elsewhere.find(KEY)
    assert found == refined
    assert found is not None
    assert found.aligner.startswith("acoustic")


async def test_a_worker_that_holds_estimates_looks_for_the_measured_times(parts, estimated):
    await parts.cache.save(KEY, estimated, characters=len(TEXT))
    elsewhere = SpeechCache(store=parts.cache._store)
    await elsewhere.find(KEY)
    refined = await parts.refine(estimated)
    held, looked_up = await elsewhere.find(KEY), await elsewhere.find(KEY, exact=True)
    assert held is not None
    assert not held.exact
    assert looked_up == refined


async def test_what_could_not_be_trusted_is_stored_and_not_tried_again(parts, estimated):
    await parts.cache.save(KEY, estimated, characters=len(TEXT))
    refined = await parts.refine(estimated, FOREIGN)
    assert not refined.exact
    assert refined.words == estimated.words
    assert not parts.refinement.is_wanted(refined)
    assert parts.refinement.is_wanted(replace(refined, aligner="acoustic-0"))


class Together:
    """An aligner that takes three segments at a time, and tells how many it has."""

    version, segments_at_once = "together-1", 3

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.may_answer = asyncio.Event()

    async def prepare(self) -> None: ...

    async def align(self, samples: Samples, text: str, language: str) -> Alignment:
        self.texts.append(text)
        await self.may_answer.wait()
        return Alignment((WordTime(0, 100, 0, len(text)),), 0.9, is_trusted=True)


async def test_an_aligner_gets_as_many_segments_as_it_takes_and_each_of_them_once(parts, estimated):
    aligner = Together()
    refinement = WordRefinement(aligner=aligner, cache=parts.cache, media_tool=MediaTool(media_bin="none"))
    tasks = [
        asyncio.create_task(refinement.refine(letter * 64, estimated, letter, "en", characters=1))
        for letter in "aabcd"  # two sessions need the first
    ]
    async with asyncio.timeout(10):
        while len(aligner.texts) < 3:
            await asyncio.sleep(0)
        assert aligner.texts == ["a", "b", "c"]
        aligner.may_answer.set()
        refined = await asyncio.gather(*tasks)
    assert aligner.texts == ["a", "b", "c", "d"]
    assert refined[0] == refined[1]
    assert all(one.exact for one in refined)


async def test_without_an_aligner_estimates_stay(parts, estimated):
    idle = WordRefinement(aligner=None, cache=parts.cache, media_tool=MediaTool(media_bin="none"))
    assert not idle.is_wanted(estimated)
    await idle.prepare()
    assert await idle.refine(KEY, estimated, TEXT, "en", characters=len(TEXT)) is estimated
