"""Speech of which a foreign synthesizer told when it says what, mapped to the words of the text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from compute_worker.audio.pcm import Samples
from compute_worker.speech.words import spoken_words


@dataclass(frozen=True)
class SaidToken:
    """What a synthesizer made of one written token: the words it said for it, in seconds."""

    name: str
    words: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class TimedWord:
    """Milliseconds, and code points into the text."""

    start_ms: float
    end_ms: float
    char_start: int
    char_end: int


@dataclass(frozen=True)
class TimedSpeech:
    """words holds those of the text whose time is known beyond doubt, in order."""

    text: str
    language: str
    voice: str
    samples: Samples = field(repr=False)
    sample_rate: int
    words: tuple[TimedWord, ...] = field(repr=False)

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.sample_rate


def time_words(text: str, tokens: Sequence[SaidToken]) -> tuple[TimedWord, ...]:
    """A token that holds one word of ours gives it its time, however many words were said for it ("1984");
    several words of ours in one token ("well-known") are matched when as many were said."""
    ours = spoken_words(text)
    timed = []
    for start, end, said in _placed(text, tokens):
        inside = [word for word in ours if word[0] < end and word[1] > start]
        if len(inside) == 1:
            spans = [(said[0][0], said[-1][1])]
        elif len(inside) == len(said):
            spans = list(said)
        else:
            continue
        for word, (begin, finish) in zip(inside, spans, strict=True):
            if not timed or timed[-1].char_end <= word[0]:
                timed.append(TimedWord(begin * 1000, finish * 1000, *word))
    return tuple(timed)


def _placed(
    text: str, tokens: Sequence[SaidToken]
) -> Iterator[tuple[int, int, tuple[tuple[float, float], ...]]]:
    position = 0
    for token in tokens:
        said = tuple(span for span in token.words if span[1] > span[0])
        start = text.find(token.name, position) if said else -1
        if start >= 0:
            position = start + len(token.name)
            yield start, position, said
