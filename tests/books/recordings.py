"""A recording of a book as somebody would have it: encoded, and read by a voice that is not the reference."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

import imageio_ffmpeg
import numpy as np
import soxr
from voices.festival import FestivalVoice, say_with_festival
from voices.timed_speech import TimedSpeech

from bench.alignment.texts import ENGLISH
from compute_worker.alignment.features import RATE

VOICE = FestivalVoice("kal_diphone", "en-us")
NOT_IN_THE_BOOK = "This recording is in the public domain and was read by a volunteer for everybody to hear."
NOT_READ = "Copyright and printing notices follow here, with an address and a long number that no one reads."


@dataclass(frozen=True)
class BookRecording:
    """chapters: title and sentences. speeches: what is heard when, milliseconds from the start."""

    chapters: tuple[tuple[str, tuple[str, ...]], ...]
    speeches: tuple[tuple[float, TimedSpeech], ...]
    audio: bytes

    def html(self) -> bytes:
        notices = f"<h1>Notices</h1><p>{NOT_READ}</p>" + f"<p>{NOT_READ.upper()}</p>" * 2
        chapters = "".join(
            f"<h1>{title}</h1>" + "".join(f"<p>{text}</p>" for text in texts)
            for title, texts in self.chapters
        )
        return f"<html lang='en'><title>Book</title><body>{notices}{chapters}</body></html>".encode()


def record_book() -> BookRecording:
    """Two chapters after notices that nobody reads, behind an announcement that is not in the book."""
    chapters = (("The first part", tuple(ENGLISH[:4])), ("The second part", tuple(ENGLISH[4:9])))
    read = [NOT_IN_THE_BOOK, *(text for title, texts in chapters for text in (title, *texts))]
    speeches, pieces, place = [], [], 0.0
    for speech in say_with_festival(VOICE, read):
        speeches.append((place * 1000, speech))
        samples = soxr.resample(speech.samples, speech.sample_rate, RATE)
        pieces += [samples, np.zeros(RATE // 2, dtype=np.float32)]
        place += len(samples) / RATE + 0.5
    audio = encoded(np.concatenate(pieces), "-c:a", "libopus", "-b:a", "48k", "-f", "ogg")
    return BookRecording(chapters, tuple(speeches[1:]), audio)


def encoded(samples: np.ndarray, *encoder: str) -> bytes:
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-f", "f32le", "-ac", "1", "-ar", str(RATE)]
    return subprocess.run(
        [*command, "-i", "pipe:0", *encoder, "pipe:1"],
        input=samples.astype("<f4").tobytes(),
        capture_output=True,
        check=True,
    ).stdout


def errors_ms(spoken: Sequence[tuple[float, TimedSpeech]], segments: Sequence[dict]) -> np.ndarray:
    """Of word starts. Words are told apart by their place in a segment of one paragraph each."""
    errors: list[float] = []
    for (start_ms, speech), segment in zip(spoken, segments, strict=True):
        placed = {(first, last): start for start, _, first, last in segment["words"]}
        known = [word for word in speech.words if (word.char_start, word.char_end) in placed]
        errors += [abs(placed[word.char_start, word.char_end] - start_ms - word.start_ms) for word in known]
    return np.array(errors)
