"""The sets of the alignment benchmark: who says what, and what happens to it on its way."""

from collections.abc import Iterator

import numpy as np
from voices import festival, flite
from voices.festival import say_with_festival
from voices.flite import say_with_flite
from voices.timed_speech import TimedSpeech

from bench.alignment import texts
from bench.alignment.degradations import DEGRADATIONS
from bench.alignment.espeak_voices import VARIANTS, say_with_espeak
from compute_worker.speech.espeak_pool import EspeakPool

Set = tuple[str, list[TimedSpeech]]


def clean_english() -> list[Set]:
    return [
        *((f"festival {voice.name}", say_with_festival(voice, texts.ENGLISH)) for voice in festival.ENGLISH),
        *((f"flite {voice}", say_with_flite(voice, texts.ENGLISH)) for voice in flite.VOICES),
    ]


def tricky_english() -> list[TimedSpeech]:
    """Numbers, dates, abbreviations, symbols, which every synthesizer reads in its own way."""
    return [
        *(speech for voice in festival.ENGLISH for speech in say_with_festival(voice, texts.TRICKY)),
        *(speech for voice in flite.VOICES for speech in say_with_flite(voice, texts.TRICKY)),
    ]


def other_languages() -> Iterator[Set]:
    for voice in festival.OTHERS:
        yield (
            f"{voice.language}, festival {voice.name}",
            say_with_festival(voice, texts.OTHERS[voice.language]),
        )


async def espeak_variants(pool: EspeakPool) -> list[TimedSpeech]:
    """Near relatives of the reference: other rates, pitches and voices of the same program."""
    return [await say_with_espeak(pool, variant, text) for variant in VARIANTS for text in texts.ENGLISH[::4]]


def degraded(clean: list[Set], source: np.random.Generator) -> Iterator[Set]:
    """Every degradation over every fourth sentence of every voice, not always the same ones."""
    for number, degradation in enumerate(DEGRADATIONS):
        chosen = [speech for _, speeches in clean for speech in speeches[number % 4 :: 4]]
        yield degradation.name, [degradation.apply(speech, source) for speech in chosen]
