"""Measured word times in place of estimated ones, after the sound is on its way to the listener."""

import asyncio
from dataclasses import replace
from weakref import WeakValueDictionary

from compute_worker.alignment.ports import Aligner
from compute_worker.audio.encoder import DELAY_SAMPLES
from compute_worker.audio.media_tool import MediaTool
from compute_worker.audio.pcm import Samples
from compute_worker.playback.speech_cache import SpeechCache
from compute_worker.speech.model import SpokenSegment
from compute_worker.speech.synthesizer import as_heard


class WordRefinement:
    """As many segments at a time as the aligner can use, in the order of need: it is work for spare moments.

    Without an aligner the estimates stay.
    """

    def __init__(self, *, aligner: Aligner | None, cache: SpeechCache, media_tool: MediaTool) -> None:
        self._aligner = aligner
        self._cache = cache
        self._media_tool = media_tool
        self._turns = asyncio.Semaphore(1 if aligner is None else aligner.segments_at_once)
        self._by_key: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def is_wanted(self, spoken: SpokenSegment) -> bool:
        """Not for times that were measured, nor where the same aligner has failed before."""
        aligner = self._aligner
        return aligner is not None and not spoken.exact and spoken.aligner != aligner.version

    async def prepare(self) -> None:
        if self._aligner is not None:
            await self._aligner.prepare()

    async def refine(
        self, key: str, spoken: SpokenSegment, text: str, language: str, *, characters: int
    ) -> SpokenSegment:
        """text is what was said. What comes of it is stored, also that nothing did."""
        aligner = self._aligner
        if aligner is None:
            return spoken
        async with self._by_key.setdefault(key, asyncio.Lock()), self._turns:
            known = await self._cache.find(key, exact=True)
            if known is not None and not self.is_wanted(known):
                return known  # another session needed it too
            samples = spoken.samples if spoken.samples is not None else await self._decode(spoken)
            alignment = await aligner.align(samples, text, language)
            refined = replace(spoken, aligner=aligner.version, samples=None)
            if alignment.is_trusted:
                refined = replace(refined, words=as_heard(alignment.words, spoken.frames), exact=True)
            await self._cache.save_words(key, refined, characters=characters)
            self._cache.hold(key, refined)
            return refined

    async def _decode(self, spoken: SpokenSegment) -> Samples:
        samples = await self._media_tool.decode(spoken.frames)
        return samples[DELAY_SAMPLES:]
