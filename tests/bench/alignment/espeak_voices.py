"""eSpeak NG in other voices and rates than the reference, with its own word events for the truth."""

from dataclasses import dataclass

from voices.timed_speech import TimedSpeech, TimedWord

from compute_worker.audio.pcm import from_s16
from compute_worker.speech.espeak_pool import EspeakPool
from compute_worker.speech.word_events import place_words


@dataclass(frozen=True)
class EspeakVariant:
    voice: str
    words_per_minute: int


VARIANTS = (
    EspeakVariant("en-us+f3", 130),
    EspeakVariant("en-us+m7", 220),
    EspeakVariant("en-us+croak", 175),
    EspeakVariant("en-us+whisper", 160),
    EspeakVariant("en+f5", 260),
    EspeakVariant("en-gb-scotland+m3", 150),
)


async def say_with_espeak(pool: EspeakPool, variant: EspeakVariant, text: str) -> TimedSpeech:
    answer = await pool.ask(
        {"voice": variant.voice, "words_per_minute": variant.words_per_minute, "text": text}
    )
    rate = answer.header["sample_rate"]
    total = len(answer.pcm) // 2
    words = place_words(text, answer.header["events"], total_samples=total, sample_rate=rate)
    timed = tuple(TimedWord(word.start_ms, word.end_ms, word.char_start, word.char_end) for word in words)
    samples = from_s16(answer.pcm)
    return TimedSpeech(text, "en-us", f"espeak {variant.voice}", samples, rate, timed)
