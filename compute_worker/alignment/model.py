"""What an aligner is given and what it answers. No I/O."""

from dataclasses import dataclass, field

from compute_worker.audio.pcm import Samples
from compute_worker.speech.model import WordTime


@dataclass(frozen=True)
class ReferenceSpeech:
    """The same text said by a voice that tells when each word starts; one word time for each spoken word."""

    samples: Samples = field(repr=False)
    sample_rate: int
    words: tuple[WordTime, ...] = field(repr=False)


@dataclass(frozen=True)
class Alignment:
    """One time range for every spoken word, in order, without overlaps, inside the audio.

    confidence is 0 for audio that has nothing to do with the text and nears 1 for the reference itself;
    `is_trusted` is the judgement that follows from it.
    """

    words: tuple[WordTime, ...] = field(repr=False)
    confidence: float
    is_trusted: bool
