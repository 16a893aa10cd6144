"""Words of a page with their places and fonts, from pdfium's characters.

Each call into pdfium costs about half a microsecond, so only the first and the last character of a piece
are asked for their places, and all pieces of a page at once: lists of what is asked pass through `map`,
without a step of Python for each.
"""

import ctypes
import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, Final

import pypdfium2.raw as pdfium

from compute_worker.documents.pdf.direct_calls import address_of, char_origin, loose_char_box, text_object
from compute_worker.documents.pdf.frame import Boxes, Frame
from compute_worker.documents.pdf.glyphs import RTL, readable
from compute_worker.documents.pdf.model import Word
from compute_worker.documents.pdf.styles import PageStyles, Style

MOST_CHARACTERS: Final = 400_000  # on one page; what comes after is no page that somebody reads
_PIECES = re.compile(r"[^\s\x00\x01\x03-\x1f\uffff]+")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]")
_MOST_CODE: Final = 0x10FFFF


@dataclass(slots=True)
class _Pieces:
    """Of words, each set in one way: one list for each thing that is known of them."""

    texts: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    lasts: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    """Addresses of the text objects that they come from; 0 for none."""
    begin_words: list[bool] = field(default_factory=list)

    def add(self, text: str, start: int, owner: int, *, begins_word: bool) -> None:
        self.texts.append(text)
        self.starts.append(start)
        self.lasts.append(start + len(text) - 1)
        self.owners.append(owner)
        self.begin_words.append(begins_word)


class PageReader:
    """Reads one page; to be thrown away with it, as pdfium's addresses mean nothing later."""

    def __init__(self, text_page: Any, *, frame: Frame) -> None:
        self._text_page = text_page
        self._address = address_of(text_page)
        self._frame = frame
        self.has_unmapped = False

    def words(self) -> list[tuple[Word, int]]:
        """In the file's order, with the quarter each is turned by."""
        pieces = self._pieces(self._text())
        styles = self._styles(pieces)
        lefts, tops, rights, bottoms = self._boxes(pieces)
        rows = zip(
            pieces.texts,
            pieces.begin_words,
            pieces.owners,
            lefts,
            tops,
            rights,
            bottoms,
            self._baselines(pieces.starts),
            strict=True,
        )
        found: list[tuple[Word, int]] = []
        for raw, begins_word, owner, left, top, right, bottom, baseline in rows:
            style = styles[owner]
            text = "" if style.is_unmapped else readable(raw)
            if not text:
                self.has_unmapped = True
            elif not style.is_slanted:
                word = Word(text, left, top, right, bottom, baseline, style.font, tag=style.tag)
                is_alone = begins_word or not found or found[-1][1] != style.quarter
                if is_alone or not _attach(found[-1][0], word):
                    found.append((word, style.quarter))
        return found

    def _text(self) -> str:
        """One letter for every character that pdfium counts."""
        count = min(pdfium.FPDFText_CountChars(self._text_page), MOST_CHARACTERS)
        buffer = (ctypes.c_ushort * (count + 1))()
        written = pdfium.FPDFText_GetText(self._text_page, 0, count, buffer)
        text = bytes(buffer)[: 2 * count].decode("utf-16-le", "surrogatepass")
        if written == count + 1 and len(text) == count:
            return text
        code, page = pdfium.FPDFText_GetUnicode, self._text_page
        return "".join([chr(min(code(page, index), _MOST_CODE)) for index in range(count)])

    def _pieces(self, text: str) -> _Pieces:
        pieces = _Pieces()
        spans = [match.span() for match in _PIECES.finditer(text)]
        first_owners = self._owners([start for start, _ in spans])
        last_owners = self._owners([end - 1 for _, end in spans])
        for (start, end), owner, last_owner in zip(spans, first_owners, last_owners, strict=True):
            word = text[start:end]
            is_wide = not word.isascii() and _WIDE.search(word) is not None
            if len(word) == 1 or (owner == last_owner and not is_wide):
                pieces.add(word, start, owner, begins_word=True)
            else:
                self._add_parts(pieces, word, start)
        return pieces

    def _add_parts(self, pieces: _Pieces, word: str, start: int) -> None:
        """What comes from one text object each, and each wide letter, which is a word of its own."""
        owners = self._owners(range(start, start + len(word)))
        wide = [False] * len(word) if word.isascii() else [bool(_WIDE.match(letter)) for letter in word]
        begin = 0
        for place in range(1, len(word) + 1):
            if place == len(word) or owners[place] != owners[begin] or wide[place] or wide[begin]:
                pieces.add(word[begin:place], start + begin, owners[begin], begins_word=begin == 0)
                begin = place

    def _owners(self, indices: Sequence[int]) -> list[int]:
        return [owner or 0 for owner in map(text_object, repeat(self._address), indices)]

    def _styles(self, pieces: _Pieces) -> dict[int, Style]:
        firsts: dict[int, tuple[int, str]] = {}
        for owner, start, text in zip(pieces.owners, pieces.starts, pieces.texts, strict=True):
            if owner not in firsts:
                firsts[owner] = start, text
        return PageStyles(self._text_page).of_objects(firsts)

    def _boxes(self, pieces: _Pieces) -> Boxes:
        """Lefts, tops, rights and bottoms; what runs from right to left is turned into the order of reading,
        which pdfium does not always do."""
        lefts, tops, rights, bottoms = self._char_boxes(pieces.starts)
        long = [
            number
            for number, (start, last) in enumerate(zip(pieces.starts, pieces.lasts, strict=True))
            if last > start
        ]
        others = self._char_boxes([pieces.lasts[number] for number in long])
        for number, left, top, right, bottom in zip(long, *others, strict=True):
            text = pieces.texts[number]
            if left < lefts[number]:
                lefts[number] = left
            elif not text.isascii() and left > lefts[number] and RTL.search(text):
                pieces.texts[number] = text[::-1]
            tops[number] = min(tops[number], top)
            rights[number] = max(rights[number], right)
            bottoms[number] = max(bottoms[number], bottom)
        return lefts, tops, rights, bottoms

    def _char_boxes(self, indices: Sequence[int]) -> Boxes:
        boxes = (ctypes.c_float * (4 * len(indices)))()
        address, size = ctypes.addressof(boxes), 4 * ctypes.sizeof(ctypes.c_float)
        addresses = range(address, address + size * len(indices), size)
        _call_each(loose_char_box, repeat(self._address), indices, addresses)
        return self._frame.boxes(boxes[0::4], boxes[3::4], boxes[2::4], boxes[1::4])

    def _baselines(self, indices: Sequence[int]) -> list[float]:
        origins = (ctypes.c_double * (2 * len(indices)))()
        address, size = ctypes.addressof(origins), ctypes.sizeof(ctypes.c_double)
        end = address + 2 * size * len(indices)
        x_addresses, y_addresses = range(address, end, 2 * size), range(address + size, end + size, 2 * size)
        _call_each(char_origin, repeat(self._address), indices, x_addresses, y_addresses)
        return self._frame.downs(origins[0::2], origins[1::2])


def _call_each(function: Callable[..., Any], *arguments: Iterable[int]) -> None:
    deque(map(function, *arguments), maxlen=0)


def _attach(before: Word, word: Word) -> bool:
    """Whether a piece without a space before it has become part of the word before. Set in another way it is
    glued to it; it is neither if it stands elsewhere."""
    size = max(word.font.size, before.font.size)
    rise = abs(word.baseline - before.baseline)
    near = (
        -0.6 * size < word.left - before.right < 0.18 * size
        or -0.6 * size < before.left - word.right < 0.18 * size
    )
    if not near or rise > 0.75 * size:
        return False
    if word.font != before.font or rise >= 0.05 * size:
        word.is_glued = True
        return False
    is_right = word.left > before.left and not word.text.isascii() and RTL.search(word.text)
    before.text = word.text + before.text if is_right else before.text + word.text
    before.left, before.right = min(before.left, word.left), max(before.right, word.right)
    before.top, before.bottom = min(before.top, word.top), max(before.bottom, word.bottom)
    return True
