"""From words to lines: what stands on one baseline, parted where there is more than a space between."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Final

from compute_worker.documents.pdf.glyphs import RTL
from compute_worker.documents.pdf.model import Font, Line, Word

_LTR = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u058f\u2e80-\u9fff\uac00-\ud7a3]")
_WIDE_END = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]$")
_WIDE_START = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_NOTE_MARK = re.compile(r"[\d,\-–*†‡§¶∗]{1,7}")
_BEFORE_MARK = re.compile(r"(?:[^\W\d_]{2,}|[.,;:!?)\]\"'”’])$")
_MIRRORED = str.maketrans("()[]", ")(][")
_LEAST_SPACE = -0.3  # of the size; pieces that follow white space in the file, however near they stand
_LEAST_RTL_SPACE = 0.19
_SPACE_BETWEEN_WIDE = 0.6  # of the size; Chinese and Japanese set no spaces, only wider gaps in headings
_LEFT, _BASELINE = attrgetter("left"), attrgetter("baseline")
_TALL: Final = 0.67  # of the tallest: what is smaller is text beside it
_LEAST_LETTERS: Final = 8  # of a line beside a tall word: raised and lowered signs are none
PIECE_GAP: Final = 0.75  # of the size: wider gaps part a line into pieces, which a column puts together again


def rows_of(words: Iterable[Word]) -> list[list[Word]]:
    """Words that share a line of the page, whatever columns they are in, from the top."""
    rows: list[list[Word]] = []
    edges: list[tuple[float, float, float]] = []  # top, bottom, baseline of each row's tallest word
    mixed: set[int] = set()
    for word in sorted(words, key=_BASELINE):
        for number in range(len(rows) - 1, max(-1, len(rows) - 4), -1):
            top, bottom, baseline = edge = edges[number]
            if edge == (word.top, word.bottom, word.baseline) or _shares_line(word, top, bottom, baseline):
                rows[number].append(word)
                if word.bottom - word.top > bottom - top:
                    edges[number] = (word.top, word.bottom, word.baseline)
                    mixed.add(number)
                break
        else:
            rows.append([word])
            edges.append((word.top, word.bottom, word.baseline))
    order = sorted(range(len(rows)), key=lambda number: edges[number][2])
    parts = ((_beside_tall(rows[number]) if number in mixed else [rows[number]]) for number in order)
    return [sorted(row, key=_LEFT) for several in parts for row in several]


def _beside_tall(row: list[Word]) -> list[list[Word]]:
    """Lines of text above each other that one tall word beside them has made a row: the number of a form, a
    brace, an initial. That stays with the nearest of them, an initial with the first."""
    tallest = max([word.bottom - word.top for word in row])
    small = [word for word in row if word.bottom - word.top < _TALL * tallest]
    lines = rows_of(small) if len(small) > 1 else []
    if sum(1 for line in lines if sum([len(word.text) for word in line]) >= _LEAST_LETTERS) < 2:
        return [row]
    texts = [(min([word.left for word in line]), max([word.right for word in line])) for line in lines]
    if not any(left < end and right > start for (left, right), (start, end) in pairwise(texts)):
        return [row]
    for word in row:
        if word.bottom - word.top >= _TALL * tallest:
            nearest = min(lines, key=lambda line: abs(line[0].baseline - word.baseline))
            (lines[0] if len(word.text) == 1 and word.text.isalpha() else nearest).append(word)
    return lines


def _shares_line(word: Word, top: float, bottom: float, baseline: float) -> bool:
    """Asked some 4,000 times a page, so without min and max."""
    height, other = word.bottom - word.top, bottom - top
    smaller, larger = (height, other) if height < other else (other, height)
    if smaller <= 0:
        return abs(word.baseline - baseline) < 1
    if abs(word.baseline - baseline) >= (0.3 if smaller > 0.8 * larger else 0.6) * larger:
        return False
    low = word.bottom if word.bottom < bottom else bottom  # noqa: FURB136
    high = word.top if word.top > top else top  # noqa: FURB136
    return low - high > 0.5 * smaller


def pieces_of(row: Sequence[Word]) -> list[list[Word]]:
    """A row parted at every gap that is wider than a space."""
    pieces: list[list[Word]] = []
    right = 0.0
    for word in row:
        if pieces and word.left - right <= PIECE_GAP * max(pieces[-1][-1].font.size, word.font.size):
            pieces[-1].append(word)
            right = max(right, word.right)
        else:
            pieces.append([word])
            right = word.right
    return pieces


def line_of(words: list[Word], page: int) -> Line:
    """Words of one line, in the order in which they are read."""
    words = _in_reading_order(sorted(words, key=_LEFT))
    font = _main_font(words)
    main, baseline = words, round(words[0].baseline, 1)
    if all(word.font == font and word.baseline == words[0].baseline for word in words):
        for word in words:
            word.is_raised = False
    else:
        main = [word for word in words if word.font.size >= 0.8 * font.size] or words
        baseline = Counter([round(word.baseline, 1) for word in main]).most_common(1)[0][0]
        highest = baseline - 0.15 * font.size
        for word in words:
            word.is_raised = word.font.size < 0.85 * font.size and word.baseline < highest
    text, starts, marks = _text(words)
    if not text.isascii() and any(bracket in text for bracket in "()[]") and RTL.search(text):
        text = _with_brackets_facing(text)
    return Line(
        text=text,
        marks=marks,
        page=page,
        left=min([word.left for word in words]),
        top=min([word.top for word in main]),
        right=max([word.right for word in words]),
        bottom=max([word.bottom for word in main]),
        baseline=baseline,
        font=font,
        words=words,
        word_starts=starts,
    )


def is_right_to_left(text: str) -> bool:
    return not text.isascii() and len(RTL.findall(text)) > len(_LTR.findall(text))


def _text(words: Sequence[Word]) -> tuple[str, list[int], list[tuple[int, str]]]:
    text = ""
    starts: list[int] = []
    marks: list[tuple[int, str]] = []
    before: Word | None = None
    for word in words:
        is_first = before is None and len(words) > 1
        if word.is_raised and _NOTE_MARK.fullmatch(word.text) and (is_first or _BEFORE_MARK.search(text)):
            marks.append((len(text), word.text))
            starts.append(-1)
        else:
            if text and before is not None and _has_space_between(before, word):
                text += " "
            starts.append(len(text))
            text += word.text
        before = word
    return text, starts, marks


def _with_brackets_facing(text: str) -> str:
    """Writers differ in whether they mirror brackets in text from right to left; pdfium always does."""
    return text if _faults(text) == 0 or _faults(text.translate(_MIRRORED)) else text.translate(_MIRRORED)


def _faults(text: str) -> int:
    depth = faults = 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if depth < 0:
            faults, depth = faults + 1, 0
    return faults + depth


def _has_space_between(before: Word, word: Word) -> bool:
    if word.is_glued:
        return False
    gap = max(word.left - before.right, before.left - word.right)
    size = min(before.font.size, word.font.size)
    if before.text.isascii() and word.text.isascii():
        return gap > _LEAST_SPACE * size
    if _WIDE_END.search(before.text) or _WIDE_START.match(word.text):
        return gap > _SPACE_BETWEEN_WIDE * size
    if RTL.search(word.text) and RTL.search(before.text):
        return gap > _LEAST_RTL_SPACE * size  # letters that do not join look parted
    return gap > _LEAST_SPACE * size


def _main_font(words: Sequence[Word]) -> Font:
    first = words[0].font
    if all(word.font == first for word in words):
        return first
    sizes: defaultdict[float, int] = defaultdict(int)
    letters = bold = italic = mono = 0
    for word in words:
        count = len(word.text)
        sizes[word.font.size] += count
        letters += count
        bold += count * word.font.is_bold
        italic += count * word.font.is_italic
        mono += count * word.font.is_mono
    size = max(sizes, key=lambda size: (sizes[size], size))
    return Font(size, bold > 0.8 * letters, italic > 0.8 * letters, mono > 0.8 * letters)


def _in_reading_order(words: list[Word]) -> list[Word]:
    """Right to left for Hebrew and Arabic, in which numbers and Latin words keep their own order."""
    if not is_right_to_left("".join([word.text for word in words])):
        return _glue_checked(words)
    ordered: list[Word] = []
    others: list[Word] = []
    for word in reversed(words):
        if RTL.search(word.text):
            ordered += _own_order(others)
            others = []
            ordered.append(word)
        else:
            others.append(word)
    return ordered + _own_order(others)


def _own_order(words: list[Word]) -> list[Word]:
    """Latin words and the numbers among them run from left to right; numbers alone stand as they come."""
    return words[::-1] if any(_LTR.search(word.text) for word in words) else words


def _glue_checked(words: list[Word]) -> list[Word]:
    """Sorting may have parted what was glued: only neighbours are."""
    right = None
    for word in words:
        if word.is_glued and (right is None or abs(word.left - right) > 0.4 * word.font.size):
            word.is_glued = False
        right = word.right
    return words
