"""From a part's rough place in the recording to its words' times."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from compute_worker.alignment.acoustic import align_samples
from compute_worker.alignment.features import RATE
from compute_worker.alignment.model import ReferenceSpeech
from compute_worker.alignment.outline import STEP_SAMPLES
from compute_worker.audio.pcm import Samples
from compute_worker.recordings.model import PlacedPart
from compute_worker.recordings.reference import SaidPart
from compute_worker.speech.model import WordTime

HOP_SAMPLES: Final = 480.0  # 30 ms: a third of the work of segments that are heard at once
# What the right text reaches in chunks of this length is 0.37 to 0.45, a foreign one 0.24 to 0.30.
_TRUSTED_CONFIDENCE: Final = 0.33
_LEAST_CONFIDENCE: Final = 0.3
_STEP_MS: Final = STEP_SAMPLES * 1000 // RATE
_LONGEST_CHUNK_STEPS: Final = 15_000 // _STEP_MS
_LARGEST_GAP_STEPS: Final = 2_000 // _STEP_MS
_MARGIN_STEPS: Final = 5  # how far a rough place may be off
_QUIET_SAMPLES: Final = RATE // 25


@dataclass(frozen=True)
class RoughPlace:
    """A part and the recording's steps in which it is heard, roughly."""

    index: int  # among the text's parts
    said: SaidPart
    first_step: int
    last_step: int  # exclusive
    is_doubtful: bool  # much of it was not recognized: it is judged by itself


def without_lone(places: Sequence[RoughPlace], known: Collection[int], lone_steps: int) -> list[RoughPlace]:
    """Without the short parts neither of whose neighbours in the text was found. known: indexes of what was
    found besides, or may yet be."""
    found = {place.index for place in places} | set(known)
    return [
        place
        for place in places
        if place.said.steps > lone_steps or found & {place.index - 1, place.index + 1}
    ]


def chunks_of(places: Sequence[RoughPlace]) -> Iterator[tuple[RoughPlace, ...]]:
    """Runs of parts without a large gap between them, none longer than needed."""
    run: list[RoughPlace] = []
    for place in places:
        if run and (
            place.is_doubtful
            or run[-1].is_doubtful
            or place.first_step - run[-1].last_step > _LARGEST_GAP_STEPS
            or place.last_step - run[0].first_step > _LONGEST_CHUNK_STEPS
        ):
            yield tuple(run)
            run = []
        run.append(place)
    if run:
        yield tuple(run)


def quiet_sample(window: Samples) -> int:
    """Where in these samples a cut does the least harm."""
    count = len(window) // _QUIET_SAMPLES
    if count < 2:
        return len(window) // 2
    energy = np.mean(window[: count * _QUIET_SAMPLES].reshape(count, -1) ** 2, axis=1)
    smoothed = np.convolve(energy, np.ones(3) / 3, mode="same") if count >= 3 else energy
    return int(np.argmin(smoothed)) * _QUIET_SAMPLES + _QUIET_SAMPLES // 2


def margins(before: int, after: int) -> tuple[int, int]:
    """The steps among which to look for the quiet moment between two parts: the last step of one, the
    first of the next."""
    if after - before > 2 * _MARGIN_STEPS:  # a pause: near to the part that is cut
        return before, before + 2 * _MARGIN_STEPS
    middle = (before + after) // 2
    return middle - _MARGIN_STEPS, middle + _MARGIN_STEPS


@dataclass(frozen=True)
class PlacedChunk:
    """No parts when the sound is something else after all."""

    confidence: float
    parts: list[PlacedPart]


NOTHING_PLACED: Final = PlacedChunk(0.0, [])


def place_chunk(places: Sequence[RoughPlace], samples: Samples, first_sample: int) -> PlacedChunk:
    """samples: of the recording, from first_sample on, all of these parts and little else."""
    if len(samples) < STEP_SAMPLES:
        return NOTHING_PLACED
    alignment = align_samples(samples, RATE, _joined(places), hop_samples=HOP_SAMPLES)
    offset_ms = first_sample * 1000 / RATE
    if alignment.confidence < _LEAST_CONFIDENCE:
        return PlacedChunk(alignment.confidence, [])
    if alignment.confidence < _TRUSTED_CONFIDENCE:
        return PlacedChunk(alignment.confidence, [_roughly(place) for place in places])
    placed, index = [], 0
    for place in places:
        count = len(place.said.words)
        placed.append(_exactly(place, alignment.words[index : index + count], offset_ms))
        index += count
    return PlacedChunk(alignment.confidence, placed)


def _joined(places: Sequence[RoughPlace]) -> ReferenceSpeech:
    words: list[WordTime] = []
    start_ms = 0
    for place in places:
        words += [
            WordTime(word.start_ms + start_ms, word.end_ms + start_ms, word.char_start, word.char_end)
            for word in place.said.words
        ]
        start_ms += place.said.steps * _STEP_MS
    samples = np.concatenate([place.said.samples for place in places])
    return ReferenceSpeech(samples.astype(np.float32) / np.float32(32768), RATE, tuple(words))


def _exactly(place: RoughPlace, words: Sequence[WordTime], offset_ms: float) -> PlacedPart:
    part = place.said.part
    times = []
    for word in words:
        start, end = place.said.map.to_original(word.char_start, word.char_end)
        times.append(
            WordTime(
                round(word.start_ms + offset_ms),
                round(word.end_ms + offset_ms),
                part.start + start,
                part.start + end,
            )
        )
    return PlacedPart(part, times[0].start_ms, times[-1].end_ms, tuple(times))


def _roughly(place: RoughPlace) -> PlacedPart:
    return PlacedPart(place.said.part, place.first_step * _STEP_MS, place.last_step * _STEP_MS, ())
