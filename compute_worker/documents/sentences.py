"""Cuts a block's text into sentences that tile it."""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from sentencex import get_sentence_boundaries  # type: ignore[import-untyped]

MAX_SENTENCE_CHARACTERS: Final = 1000  # longer ones are cut: a voice and a highlight need an end in sight
_WORD = re.compile(r"\w")
_PAUSE = re.compile(r"[;:,،、；：，—–)\]]\s*|\n")
_SPACE = re.compile(r"\s+")


def cut_sentences(text: str, language: str, breaks: Iterable[int] = ()) -> list[tuple[int, int]]:
    """Ranges that cover the text without gaps; no sentence reaches over one of the breaks."""
    edges = sorted({0, len(text), *(place for place in breaks if 0 < place < len(text))})
    ranges: list[tuple[int, int]] = []
    for start, end in pairwise(edges):
        ranges += _cut_piece(text[start:end], start, language)
    return ranges


def cut_lines(text: str) -> list[tuple[int, int]]:
    """The same for text whose lines are its units, such as code."""
    ends = [match.end() for match in re.finditer(r"\n", text)] + [len(text)]
    return _tiled(text, 0, ends)


def _cut_piece(piece: str, offset: int, language: str) -> list[tuple[int, int]]:
    found = get_sentence_boundaries(language.partition("-")[0].lower() or "en", piece)
    return _tiled(piece, offset, [boundary["end_index"] for boundary in found])


def _tiled(piece: str, offset: int, ends: list[int]) -> list[tuple[int, int]]:
    """Joins what holds no word (a quotation mark, white space) to what stands before it."""
    edges: list[int] = [0]
    for end in [*(end for end in ends if end < len(piece)), len(piece)]:
        if end <= edges[-1]:
            continue
        if len(edges) > 1 and not _WORD.search(piece, edges[-1], end):
            edges[-1] = end
        else:
            edges.append(end)
    if len(edges) > 2 and not _WORD.search(piece, 0, edges[1]):
        del edges[1]
    return [
        (offset + start, offset + end)
        for left, right in pairwise(edges)
        for start, end in _short(piece, left, right)
    ]


def _short(piece: str, start: int, end: int) -> Iterable[tuple[int, int]]:
    while end - start > MAX_SENTENCE_CHARACTERS:
        cut = _last_cut(piece, start)
        yield start, cut
        start = cut
    yield start, end


def _last_cut(piece: str, start: int) -> int:
    limit = start + MAX_SENTENCE_CHARACTERS
    for pattern in (_PAUSE, _SPACE):
        found = pattern.finditer(piece, start + MAX_SENTENCE_CHARACTERS // 3, limit)
        cuts = [match.end() for match in found if match.end() < limit]  # one at the limit may go on after it
        if cuts:
            return cuts[-1]
    return limit
