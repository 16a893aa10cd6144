"""A whole recording against a whole text, in one pass and in bounded memory."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from compute_worker.alignment.features import RATE
from compute_worker.alignment.outline import STEP_SAMPLES
from compute_worker.alignment.tracking import NOWHERE, Places
from compute_worker.alignment.voice_search import VoiceSearch
from compute_worker.audio.pcm import Samples
from compute_worker.recordings.model import PlacedPart, TextPart
from compute_worker.recordings.placing import (
    RoughPlace,
    chunks_of,
    margins,
    place_chunk,
    quiet_sample,
    without_lone,
)
from compute_worker.recordings.reference import ReferenceVoice, SaidPart
from shared.errors import Code, LecternError

BLOCK_SAMPLES: Final = STEP_SAMPLES * 625  # 50 s
_GIVE_UP_SECONDS: Final = 1_200  # of a recording in which nothing of the text was found
_LEAST_SHARE: Final = 0.62  # of a part's steps that must be heard for it to count as read; 0.8 and more are
_USUAL_SHARE: Final = 0.75
_LEAST_STEPS: Final = 3
_SLOWEST: Final = 1.8  # times as long as the reference says it
_PAUSE_STEPS: Final = 20
_USUAL_PACE: Final = 1.2  # of a reader of whom nothing is known yet
_PACES: Final = (1.0, 1.2)  # of the usual one, at which a part that is looked for may be read
_SEARCHED_STEPS: Final = 8
_LONE_STEPS: Final = 25  # two seconds: so little by itself is found anywhere

OnProgress = Callable[[float], None]


def align_recording(
    blocks: Iterator[Samples], parts: Sequence[TextPart], on_progress: OnProgress
) -> Iterator[PlacedPart]:
    """Parts that are heard, in order, as soon as they are certain; on_progress is told the seconds that were
    listened to. blocks hold BLOCK_SAMPLES each, the last one fewer.

    Raises LecternError RECORDING_UNLIKE_TEXT or RECORDING_UNREADABLE.
    """
    with ReferenceVoice(parts=parts) as reference:
        listening = _Listening(reference)
        search = VoiceSearch(reference=reference)
        heard_seconds = 0.0
        for block in blocks:
            listening.add_samples(block)
            if len(block) >= STEP_SAMPLES:
                yield from listening.settle(search.feed(block))
            heard_seconds += len(block) / RATE
            on_progress(heard_seconds)
            if not search.has_found and heard_seconds > _GIVE_UP_SECONDS:
                raise _unlike("The first 20 minutes of this recording are not in the document's text.")
        if not heard_seconds:
            raise _unreadable()
        yield from listening.settle(search.finish(), is_last=True)
        if not listening.has_placed:
            raise _unlike("Nothing of the document's text was heard in this recording.")


class _Listening:
    """What was heard of which part, until the part is over; the samples that are still needed."""

    def __init__(self, reference: ReferenceVoice) -> None:
        self._reference = reference
        self._samples = np.zeros(0, dtype=np.float32)
        self._first_sample = 0
        self._step = 0  # of the recording, up to which places are settled
        self._part = -1  # the index of the one that is being heard
        self._pairs: list[tuple[int, int]] = []  # its steps in the recording and in the reference
        self._waiting: list[RoughPlace] = []  # in order, for their chunk to be complete
        self._cut = 0  # samples of the recording before this one belong to what was placed
        self._last_placed = NOWHERE
        self._latest_pace = _USUAL_PACE

    @property
    def has_placed(self) -> bool:
        return self._last_placed != NOWHERE

    def add_samples(self, block: Samples) -> None:
        self._samples = np.concatenate((self._samples, block))

    def settle(self, places: Places, *, is_last: bool = False) -> Iterator[PlacedPart]:
        for place in places.tolist():
            if place != NOWHERE and (not self._pairs or place >= self._pairs[-1][1]):
                part = self._reference.part_at(place)
                if part != self._part:
                    self._end_part()
                    self._part = part
                self._pairs.append((self._step, place))
            self._step += 1
        if is_last:
            self._end_part()
        yield from self._place_chunks(is_last=is_last)
        self._forget()

    def _end_part(self) -> None:
        pairs, self._pairs = self._pairs, self._pairs[-1:]
        if self._part < 0:
            return
        said = self._reference.said(self._part)
        pairs = [pair for pair in pairs if pair[1] >= said.first_step]
        heard, steps = len({step for _, step in pairs}), _spoken_steps(said)
        if heard < max(_LEAST_STEPS, _LEAST_SHARE * steps):
            return
        # What of it was found, now and then, in what is not in the text says nothing of its place.
        dense = _densest(pairs, int(_SLOWEST * steps) + _PAUSE_STEPS)
        (first, said_first), (last, said_last) = dense[0], dense[-1]
        earliest = self._waiting[-1].last_step if self._waiting else self._cut // STEP_SAMPLES
        pace = self._pace()
        start = max(earliest, first - round(pace * (said_first - said.first_step)))
        end = max(start, last + round(pace * max(0, steps - 1 - (said_last - said.first_step)))) + 1
        is_doubtful = heard < _USUAL_SHARE * steps or len(dense) < len(pairs)
        self._waiting.append(RoughPlace(self._part, said, start, end, is_doubtful))

    def _place_chunks(self, *, is_last: bool) -> Iterator[PlacedPart]:
        known = {self._last_placed} if is_last else {self._last_placed, self._part}
        runs = list(chunks_of(without_lone(self._waiting, known, _LONE_STEPS)))
        complete = runs if is_last else runs[:-1]
        for index, run in enumerate(complete):
            following = runs[index + 1][0] if index + 1 < len(runs) else None
            start = self._cut_before(run[0], None if index == 0 else complete[index - 1][-1])
            end = self._cut_after(run[-1], following)
            if run[0].is_doubtful:
                placed = self._place_doubtful(run[0], start, end, following)
            else:
                placed = place_chunk(run, self._between(start, end), start).parts
            self._cut = end if not placed else max(end, placed[-1].end_ms * RATE // 1000)
            if placed:
                self._last_placed = run[-1].index
            yield from placed
        self._waiting = [] if is_last else [place for run in runs[len(complete) :] for place in run]

    def _place_doubtful(
        self, place: RoughPlace, start: int, end: int, following: RoughPlace | None
    ) -> list[PlacedPart]:
        """Maybe what comes before or after it is not in the text, and most of what was found of it was found
        in that: it is looked for at either end, and right before the part that follows it."""
        length = self._pace() * _spoken_steps(place.said)
        stretches = {(start, end), (start, min(end, start + int(length) * STEP_SAMPLES))}
        ends = {end}
        if following is not None and following.index == place.index + 1:
            ends.add(self._quiet(*margins(following.first_step, following.first_step)))
        for last in ends:
            begins = (self._quiet_near(last - int(length * slower) * STEP_SAMPLES) for slower in _PACES)
            stretches |= {(max(self._cut, begin), last) for begin in begins}
        chunks = [place_chunk((place,), self._between(*one), one[0]) for one in sorted(stretches)]
        return max(chunks, key=lambda chunk: chunk.confidence).parts

    def _pace(self) -> float:
        """How many times as long as the reference this reader takes, by the parts that are known well."""
        sure = [place for place in self._waiting if not place.is_doubtful]
        if sure:
            steps = sum(place.last_step - place.first_step for place in sure)
            self._latest_pace = steps / sum(_spoken_steps(place.said) for place in sure)
        return self._latest_pace

    def _quiet_near(self, sample: int) -> int:
        step = sample // STEP_SAMPLES
        return self._quiet(step - _SEARCHED_STEPS, step + _SEARCHED_STEPS)

    def _cut_before(self, place: RoughPlace, before: RoughPlace | None) -> int:
        """Right after the chunk before, unless a pause lies between them."""
        if before is not None and place.first_step - before.last_step <= 10:
            return self._cut
        first, last = margins(place.first_step - 10, place.first_step)
        return max(self._cut, self._quiet(first, last))

    def _cut_after(self, place: RoughPlace, following: RoughPlace | None) -> int:
        after = place.last_step + 10 if following is None else following.first_step
        return self._quiet(*margins(place.last_step, after))

    def _quiet(self, first_step: int, last_step: int) -> int:
        first = max(self._first_sample, first_step * STEP_SAMPLES)
        return first + quiet_sample(self._between(first, last_step * STEP_SAMPLES))

    def _between(self, first: int, last: int) -> Samples:
        return self._samples[max(0, first - self._first_sample) : max(0, last - self._first_sample)]

    def _forget(self) -> None:
        """Keeps what the waiting parts and those to come may need."""
        step = self._waiting[0].first_step if self._waiting else self._step - BLOCK_SAMPLES // STEP_SAMPLES
        until = max(self._first_sample, (step - 50) * STEP_SAMPLES)
        self._samples = self._samples[until - self._first_sample :]
        self._first_sample = until
        if self._part > 0:
            self._reference.forget_before(self._part)


def _densest(pairs: list[tuple[int, int]], width: int) -> list[tuple[int, int]]:
    """Those that lie within so many steps of the recording and go the furthest through the text: what is
    found by chance stays where it is."""
    passed = np.cumsum(np.diff([place for _, place in pairs], prepend=NOWHERE) > 0).tolist()
    best, after = (0, 0, 0), 0
    for index, (step, _) in enumerate(pairs):
        while after < len(pairs) and pairs[after][0] < step + width:
            after += 1
        best = max(best, (passed[after - 1] - passed[index], index - after, -index))
    _, fewest, first = best
    return pairs[-first : -first - fewest]


def _spoken_steps(said: SaidPart) -> int:
    """Without the silence after the last word."""
    return max(1, min(said.steps, said.words[-1].end_ms * RATE // 1000 // STEP_SAMPLES + 1))


def _unreadable() -> LecternError:
    return LecternError(
        Code.INVALID_ARGUMENT,
        "There is no sound in this file that can be read. It may be damaged or protected.",
        reason="RECORDING_UNREADABLE",
    )


def _unlike(message: str) -> LecternError:
    return LecternError(
        Code.FAILED_PRECONDITION,
        f"{message} Check that it is the same book, in the same language.",
        reason="RECORDING_UNLIKE_TEXT",
    )
