"""The document's text as eSpeak NG says it, made as far ahead as it is needed."""

import bisect
import json
import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import espeakng_loader
import numpy as np
import soxr
from numpy.typing import NDArray

from compute_worker.alignment.features import RATE, Matrix
from compute_worker.alignment.outline import STEP_SAMPLES, WIDTH, outline
from compute_worker.audio.pcm import Samples, from_s16
from compute_worker.recordings.model import TextPart
from compute_worker.speech import espeak_helper
from compute_worker.speech.builtin import speakable
from compute_worker.speech.builtin_languages import LIBRARY_NAMES, voice_for_language
from compute_worker.speech.model import WordTime
from compute_worker.speech.spoken import SpokenMap, to_spoken
from compute_worker.speech.word_events import place_words

_WORDS_PER_MINUTE = 205  # the faster, the less there is to compare
_BATCH_SECONDS = 40.0  # of speech whose features are normalized together


@dataclass(frozen=True)
class SaidPart:
    """first_step: where it begins in the reference's steps; its sound fills whole ones."""

    part: TextPart
    first_step: int
    samples: NDArray[np.int16] = field(repr=False)
    words: tuple[WordTime, ...] = field(repr=False)
    map: SpokenMap = field(repr=False)

    @property
    def steps(self) -> int:
        return len(self.samples) // STEP_SAMPLES


class ReferenceVoice:
    """A context manager; a Reference for the tracker."""

    def __init__(self, *, parts: Sequence[TextPart]) -> None:
        self._waiting = list(reversed(parts))
        self._said: list[SaidPart] = []
        self._forgotten = 0
        self._rows: list[Matrix] = []
        self._row_starts: list[int] = []
        self._steps = 0
        self._helper = _Helper()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._helper.close()

    def rows(self, first: int, last: int) -> Matrix:
        while self._steps < last and self._waiting:
            self._say_more()
        index = max(0, bisect.bisect_right(self._row_starts, first) - 1)
        wanted = []
        while index < len(self._rows) and self._row_starts[index] < last:
            start = self._row_starts[index]
            wanted.append(self._rows[index][max(0, first - start) : last - start])
            index += 1
        if len(wanted) == 1:
            return wanted[0]
        return np.concatenate(wanted) if wanted else np.zeros((0, WIDTH), dtype=np.float32)

    def part_at(self, step: int) -> int:
        """The index among the parts said so far."""
        return self._forgotten + bisect.bisect_right(self._said, step, key=lambda said: said.first_step) - 1

    def said(self, index: int) -> SaidPart:
        return self._said[index - self._forgotten]

    def forget_before(self, index: int) -> None:
        del self._said[: index - self._forgotten]
        self._forgotten = max(self._forgotten, index)

    def _say_more(self) -> None:
        batch: list[Samples] = []
        count = 0
        while self._waiting and count < _BATCH_SECONDS * RATE:
            part = self._waiting.pop()
            samples, words, spoken_map = self._say(part)
            if not len(samples):
                continue
            stored = (samples * 32767).astype(np.int16)
            first = self._steps + count // STEP_SAMPLES
            self._said.append(SaidPart(part, first, stored, words, spoken_map))
            batch.append(samples)
            count += len(samples)
        if not batch:
            return
        self._rows.append(outline(np.concatenate(batch)).features)
        self._row_starts.append(self._steps)
        self._steps += count // STEP_SAMPLES

    def _say(self, part: TextPart) -> tuple[Samples, tuple[WordTime, ...], SpokenMap]:
        """In whole steps; nothing where there is nothing to say."""
        spoken = to_spoken(part.text, part.language)
        voice = voice_for_language(part.language)
        header, pcm = self._helper.ask(
            {
                "voice": LIBRARY_NAMES.get(voice, voice),
                "words_per_minute": _WORDS_PER_MINUTE,
                "text": speakable(spoken.text),
            }
        )
        silence = np.zeros(0, dtype=np.float32)
        if "error" in header or len(pcm) < header["sample_rate"] // 10:
            return silence, (), spoken.map
        rate = header["sample_rate"]
        words = place_words(spoken.text, header["events"], total_samples=len(pcm) // 2, sample_rate=rate)
        samples = soxr.resample(from_s16(pcm), rate, RATE, quality="MQ")
        padded = np.pad(samples, (0, -len(samples) % STEP_SAMPLES))
        return (padded.clip(-1, 1), words, spoken.map) if words else (silence, (), spoken.map)


class _Helper:
    """The built-in voice's helper process, asked and waited for; started anew when a text makes it die."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, header: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        try:
            return self._exchange(json.dumps(header).encode())
        except (OSError, EOFError):
            self.close()
            return {"error": "VOICE_CRASHED"}, b""

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with process:
                process.kill()

    def _exchange(self, body: bytes) -> tuple[dict[str, Any], bytes]:
        if self._process is None:
            self._process = _started()
        tasks, answers = self._process.stdin, self._process.stdout
        assert tasks is not None  # noqa: S101 - both are pipes
        assert answers is not None  # noqa: S101
        tasks.write(struct.pack(">I", len(body)) + body)
        tasks.flush()
        length = struct.unpack(">I", _exactly(answers, 4))[0]
        header: dict[str, Any] = json.loads(_exactly(answers, length))
        return header, _exactly(answers, header["pcm_bytes"])


def _started() -> subprocess.Popen[bytes]:
    program = str(Path(espeak_helper.__file__))
    return subprocess.Popen(
        [
            *(sys.executable, "-I", "-S", program),
            *(espeakng_loader.get_library_path(), espeakng_loader.get_data_path()),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _exactly(stream: IO[bytes], count: int) -> bytes:
    body = stream.read(count)
    if len(body) < count:
        raise EOFError
    return body
