"""Errors of word times against what the synthesizer itself told."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from voices.timed_speech import TimedSpeech

from compute_worker.speech.model import WordTime


@dataclass(frozen=True)
class Errors:
    """Absolute errors in milliseconds, of starts and of ends."""

    starts: tuple[float, ...]
    ends: tuple[float, ...]

    def __add__(self, other: "Errors") -> "Errors":
        return Errors(self.starts + other.starts, self.ends + other.ends)

    @property
    def all(self) -> np.ndarray:
        return np.array(self.starts + self.ends)

    @property
    def mean_ms(self) -> float:
        return float(self.all.mean())

    def share_under(self, limit_ms: float) -> float:
        return float(np.mean(self.all < limit_ms))

    def line(self, name: str) -> str:
        return f"      {name:<34} starts {_summary(self.starts)}   ends {_summary(self.ends)}"


NO_ERRORS = Errors((), ())
COLUMNS = f"      {'':<34} {'mean, median, p90, p95 in ms; share under 50 and 100 ms'}"


def errors_of(speech: TimedSpeech, words: Sequence[WordTime]) -> Errors:
    placed = {(word.char_start, word.char_end): word for word in words}
    found = [(word, placed[word.char_start, word.char_end]) for word in speech.words]
    return Errors(
        tuple(abs(ours.start_ms - true.start_ms) for true, ours in found),
        tuple(abs(ours.end_ms - true.end_ms) for true, ours in found),
    )


def _summary(errors: Sequence[float]) -> str:
    values = np.array(errors)
    median, p90, p95 = np.percentile(values, (50, 90, 95))
    under_50, under_100 = (np.mean(values < limit) for limit in (50, 100))
    return f"{values.mean():5.1f} {median:5.1f} {p90:5.0f} {p95:5.0f} {under_50:6.1%} {under_100:6.1%}"
