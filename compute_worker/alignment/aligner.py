"""The acoustic aligner as the rest of the worker sees it: eSpeak NG says the text, the process compares."""

from compute_worker.alignment import acoustic
from compute_worker.alignment.model import Alignment, ReferenceSpeech
from compute_worker.alignment.process import AlignmentProcess
from compute_worker.audio.pcm import Samples, from_s16
from compute_worker.speech.builtin import speakable
from compute_worker.speech.builtin_languages import LIBRARY_NAMES, voice_for_language
from compute_worker.speech.espeak_pool import EspeakPool
from compute_worker.speech.model import SAMPLE_RATE
from compute_worker.speech.word_events import place_words
from shared.errors import Code, LecternError

_WORDS_PER_MINUTE = 160


class AcousticAligner:
    def __init__(self, *, pool: EspeakPool, process: AlignmentProcess) -> None:
        self._pool = pool
        self._process = process

    @property
    def version(self) -> str:
        return acoustic.VERSION

    @property
    def segments_at_once(self) -> int:
        return 1

    async def prepare(self) -> None:
        await self._process.prepare()

    async def align(self, samples: Samples, text: str, language: str) -> Alignment:
        reference = await self.reference(text, language)
        if not reference.words or not len(reference.samples):
            raise LecternError(Code.INVALID_ARGUMENT, "There is nothing to align.", reason="NOTHING_TO_ALIGN")
        return await self._process.align(samples, SAMPLE_RATE, reference)

    async def reference(self, text: str, language: str) -> ReferenceSpeech:
        """The text as eSpeak NG says it in the language, or in English where it has none for it."""
        voice = voice_for_language(language)
        answer = await self._pool.ask(
            {
                "voice": LIBRARY_NAMES.get(voice, voice),
                "words_per_minute": _WORDS_PER_MINUTE,
                "text": speakable(text),
            }
        )
        if error := answer.header.get("error"):
            raise LecternError(
                Code.INTERNAL, "The reference voice could not say this text.", reason=str(error)
            )
        rate = answer.header["sample_rate"]
        total = len(answer.pcm) // 2
        words = place_words(text, answer.header["events"], total_samples=total, sample_rate=rate)
        return ReferenceSpeech(from_s16(answer.pcm), rate, words)
