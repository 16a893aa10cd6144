"""What holds for every text and every sound: one time range for each word, in order, inside the audio."""

from itertools import pairwise

import numpy as np
import pytest
from voices.flite import say_with_flite
from voices.timed_speech import TimedSpeech

from bench.alignment import texts
from compute_worker.alignment.aligner import AcousticAligner
from compute_worker.alignment.process import AlignmentProcess
from compute_worker.speech.espeak_pool import EspeakPool
from compute_worker.speech.model import SAMPLE_RATE
from compute_worker.speech.words import spoken_words
from shared.errors import LecternError

TEXTS = {
    "numbers": ("en", "On 3 May 1984 it cost $3.50, or 1,984 of them 45% less."),
    "dates": ("en", "2026-11-21, 21/11/2026, 21.11.2026, Nov. 21st, the 1990s, '84 and 44 BC."),
    "german date": ("de", "Am 21. Nov. 2026 um 10.30 Uhr, z. B. in der 3. Etage."),
    "currencies": ("en", "$1,234.56 or €20, £3.5m, ¥500, 20 € and US$5–10 per kg."),
    "ranges": ("en", "Pages 10–20, 1914-1918, ±5, 3–4 p.m. and A–Z."),
    "times": ("en", "At 10:30, 10:30:05, 7 a.m. or 19h it rang."),
    "units": ("en", "5 km/h, 20 °C, 3 m², 50 µg/ml, 100% and 2.5 GHz."),
    "addresses": ("en", "See https://example.org/a/b?c=1#d or www.example.com, or ask me@example.org."),
    "fractions": ("en", "½ of 3/4, x² + y₁ ≈ 10⁻³, and ⅔."),
    "roman numerals": ("en", "Henry VIII, chap. IV, §§ 3ff., No. 5, p. 12."),
    "dots in words": ("en", "Ph.D. J. R. R. Tolkien, a.k.a. U.N.C.L.E., Inc. vs. Ltd."),
    "soft hyphens and joiners": ("en", "The har\u00adbour was\u200bquiet and e\u0301tude\u2060d."),
    "scripts in one word": ("ja", "iPhone15を3台、USBケーブル2本とAIロボット。"),
    "korean": ("ko", "항구는 조용했고 갈매기 두 마리만 2026년에 보았다."),
    "hebrew and english": ("he", "הנמל היה quiet ביום 21.11.2026."),
    "thai": ("th", "ท่าเรือเงียบสงบเมื่อเรือมาถึง"),
    "nothing that is said": ("en", "a … b *** c --- d"),
    "abbreviations": ("en", "Dr. Smith of the U.S. Senate, e.g., lives at St. James's St. 5."),
    "contractions": ("en", "They'd've known it's the dog's, wouldn't they?"),
    "hyphens": ("en", "A well-known, twenty-one-year-old mother-in-law – re-elected."),
    "quotes": ("en", "“No,” she said, ‘not «that»  one’."),
    "symbols": ("en", "3 + 4 = 7 & 8 @ 9 § 10 # 11 € 12."),
    "emoji": ("en", "Well done 👏🏽 my friend 😀!"),
    "mixed scripts": ("en", "The word Москва means 莫斯科 and ουσία is Greek."),
    "chinese": ("zh", "港口很安静,只有两只海鸥注意到渡轮来了。"),
    "japanese": ("ja", "港は静かで、カモメが二羽だけフェリーに気づいた。"),
    "arabic": ("ar", "كان الميناء هادئا عندما وصلت العبارة."),
    "hindi": ("hi", "बंदरगाह शांत था जब नाव आई।"),
    "one word": ("en", "Yes."),
    "one letter": ("en", "A"),
    "unknown language": ("xx", "The harbour was quiet."),
}

LEAST_WORD_MS = 50


def some_sound(seconds: float) -> np.ndarray:
    speech = say_with_flite("kal16", [texts.ENGLISH[0]])[0]
    return np.resize(speech.samples, int(seconds * 16_000))


@pytest.mark.parametrize(("language", "text"), TEXTS.values(), ids=TEXTS)
async def test_every_word_has_one_time_range_in_order_inside_the_audio(aligner, language, text):
    """Whatever the sound is: here it is not even that text."""
    for seconds in (0.3, 5.0):
        sound = some_sound(seconds)
        alignment = await aligner.align(TimedSpeech(text, language, "", sound, 16_000, ()))
        assert [(word.char_start, word.char_end) for word in alignment.words] == list(spoken_words(text))
        edges = [edge for word in alignment.words for edge in (word.start_ms, word.end_ms)]
        assert edges == sorted(edges)
        assert edges[0] >= 0
        assert edges[-1] <= seconds * 1000 + 10


async def test_every_word_of_every_text_is_a_stretch_of_the_reference_voice():
    """Also where that voice says a number as five words, or two words as one."""
    async with EspeakPool(size=1) as pool, AlignmentProcess(timeout_seconds=20) as process:
        speaker = AcousticAligner(pool=pool, process=process)
        for language, text in TEXTS.values():
            said = await speaker.reference(text, language)
            assert [(word.char_start, word.char_end) for word in said.words] == list(spoken_words(text))
            seconds = len(said.samples) / said.sample_rate
            assert said.words[-1].end_ms <= seconds * 1000 + 10
            assert all(word.end_ms - word.start_ms >= LEAST_WORD_MS for word in said.words), text
            assert all(one.end_ms <= other.start_ms for one, other in pairwise(said.words)), text


async def test_the_sound_of_the_text_is_trusted_and_that_of_another_is_not(aligner):
    said = say_with_flite("rms", texts.ENGLISH[:14])
    right = [await aligner.align(speech) for speech in said]
    assert all(alignment.is_trusted for alignment in right)
    for speech, other in zip(said, said[5:], strict=False):
        foreign = TimedSpeech(other.text, "en", "", speech.samples, speech.sample_rate, ())
        assert not (await aligner.align(foreign)).is_trusted, other.text


async def test_noise_and_silence_are_not_trusted(aligner):
    source = np.random.default_rng(1)
    for sound in (source.normal(0, 0.1, 2 * SAMPLE_RATE), np.zeros(2 * SAMPLE_RATE)):
        samples = sound.astype(np.float32)
        speech = TimedSpeech("The harbour was quiet.", "en", "", samples, SAMPLE_RATE, ())
        assert not (await aligner.align(speech)).is_trusted


async def test_a_text_without_words_is_refused(aligner):
    with pytest.raises(LecternError, match="nothing to align"):
        await aligner.align(TimedSpeech("— …", "en", "", some_sound(1), 16_000, ()))
