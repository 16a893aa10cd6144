"""From eSpeak NG's events to one time span for each word of the text."""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass

from compute_worker.speech.model import WordTime
from compute_worker.speech.words import Range, spoken_words, weigh

_WORD_EVENT = 1
_CLAUSE_END_EVENT = 5
Event = tuple[int, int, int, int]  # type, text position (code points from 0), length, sample


@dataclass(frozen=True)
class _Timeline:
    """Known word starts and clause ends, in samples."""

    starts: list[int | None]
    clause_ends: list[int]
    total: int


def place_words(
    text: str, events: Sequence[Event], *, total_samples: int, sample_rate: int
) -> tuple[WordTime, ...]:
    """A number gives several events, an abbreviation one for several words, some words none: each word starts
    at the first event that falls into it, those without one share the time up to the next known start."""
    words = spoken_words(text)
    if not words:
        return ()
    timeline = _Timeline(
        _known_starts(words, events),
        sorted({event[3] for event in events if event[0] == _CLAUSE_END_EVENT}),
        total_samples,
    )
    starts = _fill_gaps(text, words, timeline)
    times = []
    for index, (start, end) in enumerate(words):
        following = starts[index + 1] if index + 1 < len(words) else total_samples
        clause_end = _first_above(timeline.clause_ends, starts[index], following)
        begin_ms, end_ms = (round(samples * 1000 / sample_rate) for samples in (starts[index], clause_end))
        times.append(WordTime(begin_ms, max(begin_ms, end_ms), start, end))
    return tuple(times)


def _known_starts(words: Sequence[Range], events: Sequence[Event]) -> list[int | None]:
    starts: list[int | None] = [None] * len(words)
    ends = [end for _, end in words]
    latest = 0
    for kind, position, length, sample in events:
        if kind != _WORD_EVENT or sample < latest:
            continue
        index = bisect.bisect_right(ends, position)  # the first word that ends after the event's position
        if index == len(words) or words[index][0] >= position + max(length, 1):
            continue  # an event for punctuation
        if starts[index] is None and not any(start is not None for start in starts[index + 1 :]):
            starts[index] = latest = sample
    return starts


def _fill_gaps(text: str, words: Sequence[Range], timeline: _Timeline) -> list[int]:
    starts = [timeline.starts[0] or 0]
    index = 0
    while index < len(words):
        following = index + 1
        while following < len(words) and timeline.starts[following] is None:
            following += 1
        limit = timeline.total if following == len(words) else (timeline.starts[following] or 0)
        span = max(0, _first_above(timeline.clause_ends, starts[index], limit) - starts[index])
        weights = [weigh(text[start:end]) for start, end in words[index:following]]
        passed = 0.0
        for weight in weights[:-1]:
            passed += weight
            starts.append(starts[index] + int(span * passed / sum(weights)))
        if following < len(words):
            starts.append(max(limit, starts[-1]))
        index = following
    return starts


def _first_above(ends: Sequence[int], start: int, otherwise: int) -> int:
    """The end of the clause in which `start` lies, unless something else comes first."""
    index = bisect.bisect_right(ends, start)
    return min(ends[index], otherwise) if index < len(ends) else otherwise
