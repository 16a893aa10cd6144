"""The words of a text that are spoken, and times for them when nobody measured any."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import regex
from numpy.typing import NDArray

from compute_worker.audio.activity import STEP_MS, Activity
from compute_worker.speech.model import WordTime

Range = tuple[int, int]  # code points, end exclusive

_BOUNDARY = regex.compile(r"\b", regex.WORD | regex.V1)  # UAX #29
_SPOKEN = regex.compile(r"[\p{L}\p{N}]")
_JOINS_NEXT = regex.compile(r"[\p{Sc}#§№]")  # "$3.50" is one word, and so is "#1"
_JOINS_PREVIOUS = regex.compile(r"[\p{Sc}%‰°′″]")
_STANDS_ALONE = regex.compile(r"[\p{Sm}&@%§\p{Sc}#]")
_SLOW = regex.compile(r"[\p{N}\p{Han}\p{Hangul}\p{Sc}%&@]")  # read out as a syllable or a whole word
_KANA = regex.compile(r"[\p{Hiragana}\p{Katakana}]")
_MARK = regex.compile(r"[\p{M}\p{Cf}]")
_MARKED = regex.compile(r"[.!?;:…。！？；：—–,，、()\[\]«»“”\"]")  # where a reader pauses
_TOLERANCE_STEPS = 30  # 150 ms
_MARKED_TOLERANCE_STEPS = 100


def spoken_words(text: str) -> tuple[Range, ...]:
    """Code-point ranges of the words by UAX #29, without spaces and punctuation, in order.

    A currency or percent sign belongs to the number it touches; other signs that are read out are words.
    """
    cuts = [0, *(match.start() for match in _BOUNDARY.finditer(text)), len(text)]
    pieces = [(start, end) for start, end in pairwise(cuts) if start < end]
    words: list[Range] = []
    pending: int | None = None  # where a sign began that joins the next word
    for start, end in _split_signs(text, pieces):
        piece = text[start:end]
        if _SPOKEN.search(piece):
            words.append((pending if pending is not None else start, end))
            pending = None
            continue
        if pending is not None:
            words.append((pending, start))
            pending = None
        if words and words[-1][1] == start and _JOINS_PREVIOUS.match(piece):
            words[-1] = (words[-1][0], end)
        elif _JOINS_NEXT.match(piece):
            pending = start
        elif _STANDS_ALONE.match(piece):
            words.append((start, end))
    if pending is not None:
        words.append((pending, len(text)))
    return tuple(words)


def weigh(text: str) -> float:
    """How long a text takes to say, in letters of an average word."""
    if len(text) == 1 and text.isascii() and text.isalpha():
        return 1.0
    weight = 3.5 * len(_SLOW.findall(text)) + 2.0 * len(_KANA.findall(text))
    plain = len(text) - len(_SLOW.findall(text)) - len(_KANA.findall(text)) - len(_MARK.findall(text))
    return weight + float(plain) + 1.0  # a word has a beginning, however short it is


def proportional_times(text: str, activity: Activity) -> tuple[WordTime, ...]:
    """Every word its share of the time in which somebody speaks, by the length of what is said."""
    words = spoken_words(text)
    instants = activity.spoken_instants()
    if not words or not len(instants):
        return ()
    boundaries = _boundaries(text, words, instants)
    times: list[WordTime] = []
    for (start, end), begin, finish in zip(words, boundaries, boundaries[1:], strict=False):
        first = min(int(begin), len(instants) - 1)
        last = min(max(int(np.ceil(finish)) - 1, first), len(instants) - 1)
        times.append(WordTime(round(instants[first]), round(instants[last]) + STEP_MS, start, end))
    return tuple(times)


def are_plausible(times: Sequence[WordTime], text: str, duration_ms: float) -> bool:
    """Whether a provider's word times can be believed: in order, inside the audio, for most words."""
    if not times:
        return False
    starts = np.array([time.start_ms for time in times])
    chars = np.array([time.char_start for time in times])
    in_order = bool(np.all(np.diff(starts) >= 0) and np.all(np.diff(chars) > 0))
    inside = times[0].start_ms >= -50 and times[-1].start_ms < duration_ms
    sane = all(0 <= time.char_start < time.char_end <= len(text) for time in times)
    spread = times[-1].end_ms - times[0].start_ms > 0.5 * duration_ms or len(times) == 1
    return in_order and inside and sane and spread and len(times) >= 0.8 * len(spoken_words(text))


def _split_signs(text: str, pieces: list[Range]) -> list[Range]:
    """UAX #29 may keep a run of signs together; each is judged by itself."""
    split: list[Range] = []
    for start, end in pieces:
        if _SPOKEN.search(text, start, end):
            split.append((start, end))
        else:
            split.extend((index, index + 1) for index in range(start, end))
    return split


def _boundaries(text: str, words: Sequence[Range], instants: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where each word begins, and the last ends, as an index into the spoken instants.

    A boundary that comes to lie near a pause is put into it, and what follows is shared anew from there.
    """
    shares = np.concatenate(([0.0], np.cumsum([weigh(text[start:end]) for start, end in words])))
    is_marked = [bool(_MARKED.search(text[left[1] : right[0]])) for left, right in pairwise(words)]
    known = [(0, 0)]
    for pause in (np.flatnonzero(np.diff(instants) > STEP_MS) + 1).tolist():
        word, index = known[-1]
        scale = (len(instants) - index) / (shares[-1] - shares[word])
        distances = np.abs(index + (shares[word + 1 : -1] - shares[word]) * scale - pause)
        costs = distances / np.where(is_marked[word:], _MARKED_TOLERANCE_STEPS, _TOLERANCE_STEPS)
        if len(costs) and costs[best := int(np.argmin(costs))] <= 1:
            known.append((word + 1 + best, pause))
    known.append((len(words), len(instants)))
    return np.interp(shares, shares[[word for word, _ in known]], [index for _, index in known])
