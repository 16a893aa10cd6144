"""Segments against their texts with the model: in windows of at most 30 s, in batches, word by word."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Final

import numpy as np
import soxr

from compute_worker.alignment.model import Alignment
from compute_worker.audio.activity import find_activity
from compute_worker.audio.pcm import Samples
from compute_worker.speech.model import SAMPLE_RATE, WordTime
from compute_worker.speech.words import proportional_times, spoken_words
from compute_worker.whisper.attention_times import Seconds, token_starts
from compute_worker.whisper.mel import RATE, WINDOW_SECONDS
from compute_worker.whisper.model import Heard, WhisperModel, Window

# The mean probability that the model gives to the tokens of a text that it hears; of any other near 0.
TRUSTED_LIKELIHOOD: Final = 0.3
_LONGEST_SECONDS: Final = WINDOW_SECONDS - 1.0


@dataclass(frozen=True)
class Segment:
    """samples: at the model's rate."""

    samples: Samples = field(repr=False)
    text: str
    language: str


@dataclass(frozen=True)
class Cut:
    """A part of the audio, in seconds, and of the text, in characters."""

    start_seconds: float
    end_seconds: float
    start: int
    end: int


def align_with(model: WhisperModel, segments: Sequence[Segment]) -> list[Alignment]:
    """Their windows side by side, whichever segment they are of."""
    cuts = [cuts_of(segment.samples, segment.text) for segment in segments]
    windows = [
        Window(
            segment.samples[int(cut.start_seconds * RATE) : int(cut.end_seconds * RATE)],
            segment.text[cut.start : cut.end],
            segment.language,
        )
        for segment, own in zip(segments, cuts, strict=True)
        for cut in own
    ]
    heard = iter(model.hear(windows))
    return [
        _alignment(segment.text, own, list(islice(heard, len(own))))
        for segment, own in zip(segments, cuts, strict=True)
    ]


def _alignment(text: str, cuts: Sequence[Cut], heard: Sequence[Heard]) -> Alignment:
    words: list[WordTime] = []
    for cut, one in zip(cuts, heard, strict=True):
        starts = token_starts(one.attention, prefix=one.prefix, frames=one.frames)
        words += word_times(text[cut.start : cut.end], one.offsets, starts, cut)
    weights = [len(one.offsets) for one in heard]
    likelihood = (
        float(np.average([one.likelihood for one in heard], weights=weights)) if sum(weights) else 0.0
    )
    return Alignment(tuple(words), likelihood, is_trusted=likelihood >= TRUSTED_LIKELIHOOD)


def word_times(
    text: str, offsets: Sequence[tuple[int, int]], starts: Seconds, cut: Cut
) -> Iterator[WordTime]:
    """A word begins with its first token and ends where the token after its last one begins."""
    token = 0
    for first, last in spoken_words(text):
        while token < len(offsets) and not _begins(text, offsets[token], first):
            token += 1
        after = token + 1
        while after < len(offsets) and offsets[after][0] < last:
            after += 1
        begin, end = (
            min(float(starts[min(at, len(starts) - 1)]), cut.end_seconds - cut.start_seconds)
            for at in (token, after)
        )
        yield WordTime(
            round((cut.start_seconds + begin) * 1000),
            round((cut.start_seconds + max(begin, end)) * 1000),
            cut.start + first,
            cut.start + last,
        )
        token = max(token, after - 1)  # a token may hold the end of one word and the beginning of the next


def _begins(text: str, offset: tuple[int, int], first: int) -> bool:
    """Whether a word that starts at `first` starts with this token; the blank before it may be one."""
    start, end = offset
    return end > first or (end >= first and not text[start:end].strip())


def cuts_of(samples: Samples, text: str) -> list[Cut]:
    """One, or as many as are needed: cut at pauses, and in the text where the pause is likely to lie."""
    seconds = len(samples) / RATE
    whole = Cut(0.0, seconds, 0, len(text))
    if seconds <= _LONGEST_SECONDS:
        return [whole]
    times = _estimates(samples, text)
    if len(times) < 2:
        return [Cut(0.0, _LONGEST_SECONDS, 0, len(text))]
    cuts, word, begin, start = [], 0, 0.0, 0
    while seconds - begin > _LONGEST_SECONDS and word < len(times) - 1:
        latest = begin + _LONGEST_SECONDS
        gaps = [
            (following.start_ms - before.end_ms, index)
            for index, (before, following) in enumerate(pairwise(times), start=1)
            if index > word and begin + _LONGEST_SECONDS / 3 < following.start_ms / 1000 <= latest
        ]
        if not gaps:
            break
        word = max(gaps)[1]
        middle = (times[word - 1].end_ms + times[word].start_ms) / 2000
        cuts.append(Cut(begin, middle, start, times[word].char_start))
        begin, start = middle, times[word].char_start
    cuts.append(Cut(begin, min(seconds, begin + WINDOW_SECONDS), start, len(text)))
    return cuts


def _estimates(samples: Samples, text: str) -> tuple[WordTime, ...]:
    """Proportional ones: good enough to tell which pause lies between which words."""
    at_stream_rate = soxr.resample(samples, RATE, SAMPLE_RATE, quality="LQ")
    return proportional_times(text, find_activity(at_stream_rate))
