"""Pages whose lines run from top to bottom, as in Japanese and Chinese books: they are turned so that their
columns, which follow each other from right to left, become lines from the top."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from compute_worker.documents.pdf.model import Page, Word

VERTICAL_TURN: Final = 3
_WIDE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


def is_vertical(words: Sequence[Word]) -> bool:
    """Whether most neighbouring characters stand below, not beside, each other."""
    below = beside = 0
    for before, word in pairwise(words):
        if len(word.text) > 2 or not _WIDE.match(word.text) or not _WIDE.match(before.text):
            continue
        size = word.font.size
        if abs(word.right - before.right) < 0.3 * size and 0.5 * size < word.top - before.top < 1.7 * size:
            below += 1
        elif abs(word.baseline - before.baseline) < 0.3 * size:
            beside += 1
    return below > 20 and below > 2 * beside


def turn_upright(page: Page) -> None:
    """The boxes that pdfium gives for vertical glyphs end at their right edge but may begin too far left."""
    for word in page.words:
        right, top, bottom, size = word.right, word.top, word.bottom, word.font.size
        word.left, word.right = top, bottom
        word.top, word.bottom = page.width - right, page.width - right + size
        word.baseline = word.bottom - 0.12 * size
    page.width, page.height = page.height, page.width
    page.turn = VERTICAL_TURN
