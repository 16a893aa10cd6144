"""The benchmark's short form, with bars that can fail: voices that the aligner does not know."""

import numpy as np
import pytest
from voices import festival
from voices.festival import say_with_festival
from voices.flite import say_with_flite
from voices.timed_speech import TimedSpeech

from bench.alignment import texts
from bench.alignment.degradations import DEGRADATIONS
from bench.alignment.measure import NO_ERRORS, Errors, errors_of
from bench.alignment.references import real_time_factor
from compute_worker.audio.activity import find_activity
from compute_worker.audio.pcm import Pcm
from compute_worker.speech.words import proportional_times

SENTENCES = texts.ENGLISH[::3]


async def errors_over(aligner, speeches: list[TimedSpeech]) -> Errors:
    total = NO_ERRORS
    for speech in speeches:
        total += errors_of(speech, (await aligner.align(speech)).words)
    return total


def english() -> list[TimedSpeech]:
    return [
        *say_with_festival(festival.ENGLISH[0], SENTENCES),
        *say_with_festival(festival.ENGLISH[2], SENTENCES),
        *say_with_flite("rms", SENTENCES),
        *say_with_flite("slt", SENTENCES),
    ]


def estimated(speech: TimedSpeech) -> Errors:
    samples = Pcm(speech.samples, speech.sample_rate).at_stream_rate()
    return errors_of(speech, proportional_times(speech.text, find_activity(samples)))


async def test_words_of_clean_english_are_found_within_35_ms(aligner):
    speeches = english()
    errors = await errors_over(aligner, speeches)
    assert errors.mean_ms <= 35, errors.line("clean English")
    assert errors.share_under(100) >= 0.95, errors.line("clean English")
    guessed = sum((estimated(speech) for speech in speeches), NO_ERRORS)
    assert errors.mean_ms < guessed.mean_ms / 3, guessed.line("proportional")


async def test_finding_words_takes_a_small_share_of_the_time_they_take_to_say():
    speeches = say_with_flite("awb", texts.ENGLISH[:12])
    # `make bench` holds it to 0.01; tests share their cores with each other.
    assert await real_time_factor(speeches) <= 0.03


@pytest.mark.parametrize("degradation", DEGRADATIONS, ids=lambda degradation: degradation.name)
async def test_words_are_found_in_degraded_speech_within_60_ms(aligner, degradation):
    source = np.random.default_rng(7)
    speeches = [*say_with_flite("rms", SENTENCES[:4]), *say_with_flite("slt", SENTENCES[4:])]
    errors = await errors_over(aligner, [degradation.apply(speech, source) for speech in speeches])
    assert errors.mean_ms <= 60, errors.line(degradation.name)


@pytest.mark.parametrize("voice", festival.OTHERS, ids=lambda voice: voice.name)
async def test_words_of_other_languages_are_found_within_35_ms(aligner, voice):
    errors = await errors_over(aligner, say_with_festival(voice, texts.OTHERS[voice.language]))
    assert errors.mean_ms <= 35, errors.line(voice.name)
