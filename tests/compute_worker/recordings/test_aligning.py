"""Where a recording and its text part ways."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
import soxr
from voices.festival import FestivalVoice, say_with_festival

from bench.alignment.texts import ENGLISH
from compute_worker.alignment.features import RATE
from compute_worker.audio.pcm import Samples
from compute_worker.recordings.aligning import BLOCK_SAMPLES, align_recording
from compute_worker.recordings.model import PlacedPart, TextPart

VOICE = FestivalVoice("kal_diphone", "en-us")
WORDS = sorted({word.strip(".,;:?!").lower() for word in " ".join(ENGLISH).split()})


def texts(count: int, source: random.Random) -> list[str]:
    """Of words at random, so that none is like another."""
    return [" ".join(source.choice(WORDS) for _ in range(25)) + "." for _ in range(count)]


def read_aloud(said: Sequence[str]) -> list[Samples]:
    return [
        soxr.resample(speech.samples, speech.sample_rate, RATE) for speech in say_with_festival(VOICE, said)
    ]


def aligned(sound: Samples, said: Sequence[str]) -> list[PlacedPart]:
    parts = [TextPart(index, 0, f"0-{index}", 0, len(text), text, "en-us") for index, text in enumerate(said)]
    blocks = (sound[first : first + BLOCK_SAMPLES] for first in range(0, len(sound), BLOCK_SAMPLES))
    return list(align_recording(blocks, parts, lambda _: None))


@pytest.mark.parametrize("seed", [4, 6, 21])  # little of the first part is found; nothing; it is read slowly
def test_a_chapter_begins_where_it_does_after_a_preface_that_is_not_in_the_text(seed: int):
    source = random.Random(seed)
    preface, chapter = read_aloud(texts(5, source)), texts(5, source)
    spoken = read_aloud(chapter)
    placed = aligned(np.concatenate((*preface, *spoken)), chapter)
    start_ms = sum(map(len, preface)) * 1000 / RATE
    for part, sound in zip(placed, spoken, strict=True):
        assert part.is_exact
        assert abs(part.start_ms - start_ms) < 500
        start_ms += len(sound) * 1000 / RATE
