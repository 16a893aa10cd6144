"""What a listener can leave out of a text that is otherwise read: citations, and whatever stands in brackets.

No I/O. Only whole pairs of brackets are left out; one that is never closed is read as ever.
"""

from collections.abc import Iterator
from typing import Final

import regex

Range = tuple[int, int]

_PAIRS: Final = {"(": ")", "[": "]", "{": "}", "（": "）", "［": "］", "【": "】", "〔": "〕", "⟨": "⟩"}
_CLOSING: Final = frozenset(_PAIRS.values())
_MOST_OPENED: Final = 16
# Possessive throughout: every text is gone through once.
_NUMBERS: Final = r"\d{1,4} (?: \s*+ [,;–—-] \s*+ \d{1,4} )*+"
_NAME: Final = r"(?: \p{Lu} [\p{L}\p{M}'’.-]*+ | (?:de|del|della|der|den|di|du|la|le|van|von|zu) \b )"
_NAMES: Final = (
    rf"{_NAME} (?: ,?+ \s++ (?: (?: & | and | und | et | y | e ) \s++ )?+ {_NAME} ){{0,12}}+"
    r" (?: ,?+ \s++ et \s++ al\.?+ )?+"
)
_YEAR: Final = r"(?: 1[4-9]\d\d | 20\d\d | n\.d\. | in\ press ) [a-z]?+"
_PAGES: Final = (
    r"(?: \s*+ [,:] \s*+ (?: (?: pp?+ | S | ch | sec | Kap | §§?+ ) \.?+ \s*+ )?+"
    r" \d++ (?: \s*+ [–-] \s*+ \d++ )?+ f{0,2}+ )*+"
)
_LEAD: Final = r"(?: (?: see | cf\. | e\.g\. | vgl\. | siehe ) ,?+ \s++ (?: also \s++ )?+ )?+"
_SOURCE: Final = rf"{_LEAD} {_NAMES} ,?+ \s*+ {_YEAR} (?: \s*+ , \s*+ {_YEAR} )* {_PAGES}"
# [3], [3, 5–7]; (Smith, 2020), (see Smith & Jones 2019a, p. 4; Weber et al., 2001).
_CITATION: Final = regex.compile(
    rf"\[ \s*+ {_NUMBERS} \s*+ \] | \( \s*+ {_SOURCE} (?: \s*+ ; \s*+ {_SOURCE} )*+ \s*+ \)", regex.VERBOSE
)


def omissions(text: str, *, citations: bool, brackets: bool) -> tuple[Range, ...]:
    """Ranges of the text, in order and apart, each with the white space before it."""
    found = [*(_citations(text) if citations else ()), *(_bracketed(text) if brackets else ())]
    merged: list[Range] = []
    for start, end in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple((_before_space(text, start), end) for start, end in merged)


def within(ranges: tuple[Range, ...], start: int, end: int) -> tuple[Range, ...]:
    """Their parts in [start, end), counted from its start."""
    return tuple(
        (max(first, start) - start, min(last, end) - start)
        for first, last in ranges
        if first < end and last > start
    )


def _citations(text: str) -> Iterator[Range]:
    return (match.span() for match in _CITATION.finditer(text))


def _bracketed(text: str) -> list[Range]:
    """The outermost pairs."""
    opened: list[tuple[str, int]] = []
    pairs: list[Range] = []
    for position, character in enumerate(text):
        if character in _PAIRS:
            opened = [*opened[-_MOST_OPENED + 1 :], (_PAIRS[character], position)]
        elif character in _CLOSING:
            depth = next((i for i in reversed(range(len(opened))) if opened[i][0] == character), None)
            if depth is None:
                continue
            start = opened[depth][1]
            del opened[depth:]
            while pairs and pairs[-1][0] > start:
                pairs.pop()
            pairs.append((start, position + 1))
    return pairs


def _before_space(text: str, start: int) -> int:
    """What follows has its own space, or is punctuation that wants none."""
    while start > 0 and text[start - 1].isspace():
        start -= 1
    return start
