"""Joins lines to text: words broken at line ends become whole again where the text itself knows them."""

import re
from collections.abc import Sequence

from compute_worker.documents.pdf.glyphs import HYPHEN
from compute_worker.documents.pdf.model import Line

_WORD = re.compile(r"[^\W\d_]+(?:['’\-‐][^\W\d_]+)*")
_BREAK = re.compile(r"([^\W\d_]+)([-‐\u00ad])$")
_HEAD = re.compile(r"[^\W\d_]+")
_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
# Before these a hyphen is more often part of the word than not.
_HYPHENATING = frozenset("self non ex well anti all half quasi semi co e x pre post".split())  # noqa: SIM905


class Vocabulary:
    """The words of the text that no line end has broken."""

    def __init__(self) -> None:
        self._words: set[str] = set()

    def learn(self, line: str) -> None:
        end = len(line) - 1 if line.endswith(("-", "‐", HYPHEN)) else len(line)
        for match in _WORD.finditer(line, 0, end):
            if match.end() < end or end == len(line):
                self._words.add(match[0].lower().replace("‐", "-"))

    def knows(self, word: str) -> bool:
        return word.lower() in self._words

    def joined(self, before: str, after: str) -> tuple[str, str]:
        """What ends one line and what stands between it and the next."""
        broken = _BREAK.search(before)
        head = _HEAD.match(after)
        if broken is None or head is None:
            return before.rstrip(HYPHEN), _space(before, after)
        left, mark = broken[1], broken[2]
        whole, hyphenated = left + head[0], f"{left}-{head[0]}"
        stem = before[: broken.start(2)]
        if self.knows(whole) and not (self.knows(hyphenated) and mark != HYPHEN):
            return stem, ""
        if self.knows(hyphenated):
            return stem + "-", ""
        if head[0][0].isupper() and not left.isupper():
            return stem + "-", ""
        if before[: broken.start(1)].endswith(("-", "‐")) or after[head.end() : head.end() + 1] in {"-", "‐"}:
            return stem + "-", ""  # a part of a longer compound: mother-in-law
        is_compound = left.lower() in _HYPHENATING or (
            len(left) > 3 and len(head[0]) > 3 and self.knows(left) and self.knows(head[0]) and mark != HYPHEN
            and len(left) + len(head[0]) > 12
        )  # fmt: skip
        return (stem + "-", "") if is_compound else (stem, "")


def _space(before: str, after: str) -> str:
    if _WIDE.match(before[-1:]) and _WIDE.match(after[:1]):
        return ""
    if before.endswith(("—", "–", "-", "/")) and len(before) > 1 and before[-2] != " ":
        return ""
    return " "


def join_lines(lines: Sequence[Line], vocabulary: Vocabulary) -> tuple[str, list[int]]:
    """The text, and where in it each line begins."""
    text = ""
    starts: list[int] = []
    for line in lines:
        piece = line.text[:-1].replace(HYPHEN, "") + line.text[-1:]
        if text:
            kept, between = vocabulary.joined(text, piece)
            text = kept + between
        starts.append(len(text))
        text += piece
    return text.rstrip(HYPHEN), starts
