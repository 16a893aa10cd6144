"""Word times: every set's errors, those of proportional timing beside them, the cost; and a whole book."""

import random
from collections.abc import Sequence
from typing import Final

import numpy as np
from voices.timed_speech import TimedSpeech

from bench.alignment.measure import COLUMNS, NO_ERRORS, Errors, errors_of
from bench.alignment.references import BenchAligner, bench_aligner, real_time_factor
from bench.alignment.sets import clean_english, degraded, espeak_variants, other_languages, tricky_english
from bench.figures import Figure
from bench.recordings import measure_recording
from compute_worker.audio.activity import find_activity
from compute_worker.audio.pcm import Pcm
from compute_worker.speech.espeak_pool import EspeakPool
from compute_worker.speech.words import proportional_times

RECORDING_MINUTES: Final = 60  # `python -m bench.recordings 600` takes ten hours and more


async def measure_alignment(seed: int) -> list[Figure]:
    print("Word times against what the synthesizers themselves tell")
    print(COLUMNS)
    clean = clean_english()
    async with bench_aligner() as aligner, EspeakPool(size=1) as pool:
        english = await _aligned(aligner, clean)
        everything = [speech for _, speeches in clean for speech in speeches]
        print(english.line("CLEAN ENGLISH"))
        print(_proportional(everything).line("  the same, proportional"))
        await _aligned(aligner, [("numbers, dates, abbreviations", tricky_english())])
        await _aligned(aligner, [("espeak variants", await espeak_variants(pool))])
        others = await _aligned(aligner, list(other_languages()))
        print(others.line("OTHER LANGUAGES"))
        sets = list(degraded(clean, np.random.default_rng(seed)))
        worst = max([(await _aligned(aligner, [one])).mean_ms for one in sets])
        print(_proportional([speech for _, some in sets for speech in some]).line("  degraded, proportional"))
    soon_enough = english.share_under(100) * 100
    factor = await real_time_factor(everything)
    recording = await measure_recording(RECORDING_MINUTES, random.Random(seed))
    return [
        Figure("word times, clean English, mean error", english.mean_ms, "ms", 35),
        Figure("word times, clean English, share under 100 ms", soon_enough, "%", 95, at_least=True),
        Figure("word times, other languages, mean error", others.mean_ms, "ms", 35),
        Figure("word times, worst of the degraded sets, mean error", worst, "ms", 60),
        Figure("word times, processor time for a second of audio", factor * 1000, "ms", 10),
        *recording,
    ]


async def _aligned(aligner: BenchAligner, sets: Sequence[tuple[str, list[TimedSpeech]]]) -> Errors:
    total = NO_ERRORS
    for name, speeches in sets:
        errors, trusted = NO_ERRORS, 0
        for speech in speeches:
            alignment = await aligner.align(speech)
            errors += errors_of(speech, alignment.words)
            trusted += alignment.is_trusted
        print(f"{errors.line(name)}   {trusted} of {len(speeches)} trusted")
        total += errors
    return total


def _proportional(speeches: Sequence[TimedSpeech]) -> Errors:
    total = NO_ERRORS
    for speech in speeches:
        activity = find_activity(Pcm(speech.samples, speech.sample_rate).at_stream_rate())
        total += errors_of(speech, proportional_times(speech.text, activity))
    return total
