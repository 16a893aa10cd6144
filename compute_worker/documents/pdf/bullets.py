"""Bullets that are drawn and not written: browsers print those of lists as small filled shapes."""

from collections.abc import Sequence
from typing import Final

from compute_worker.documents.pdf.model import Box, Font, Word

_REACH: Final = 30.0


def bullets_among(words: Sequence[Word], shapes: Sequence[Box]) -> list[Word]:
    """The shapes at which a line begins; as words."""
    found = []
    for left, top, right, bottom in shapes:
        middle = (top + bottom) / 2
        row = [word for word in words if word.top < middle < word.bottom and word.bottom - word.top < 80]
        after = [word for word in row if 0 <= word.left - right <= _REACH]
        if not after or any(
            -1 <= left - word.right <= _REACH or word.left < left < word.right for word in row
        ):
            continue
        text = min(after, key=lambda word: word.left)
        if bottom - top < 0.7 * text.font.size:
            found.append(
                Word(
                    "•", left, text.top, right, text.bottom, text.baseline, Font(text.font.size), tag=text.tag
                )
            )
    return found
