"""Words of a page with their places and fonts, from pdfium's characters.

Each call into pdfium costs about half a microsecond, so only the first and the last character of a piece
are asked for their places.
"""

import ctypes
import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

import pypdfium2.raw as pdfium

from compute_worker.documents.pdf.bullets import bullets_among, shapes_of
from compute_worker.documents.pdf.forms import fill_in
from compute_worker.documents.pdf.glyphs import RTL, readable
from compute_worker.documents.pdf.model import Font, Page, Word
from compute_worker.documents.pdf.tags import tags_of

MOST_CHARACTERS: Final = 400_000  # on one page; what comes after is no page that somebody reads
_PIECES = re.compile(r"[^\s\x00\x01\x03-\x1f\uffff]+")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]")
_BOLD = re.compile(r"bold|black|heavy|semibold|demi|[-,]b$|cmbx|cmb1|-bd", re.IGNORECASE)
_ITALIC = re.compile(r"italic|oblique|[-,]it$|cmti|slant", re.IGNORECASE)
_MONO = re.compile(r"courier|mono|consol|cmtt|typewriter|lucidacon|menlo|sourcecode", re.IGNORECASE)
_FLAG_FIXED_PITCH, _FLAG_FORCE_BOLD = 1, 1 << 18
_SAMPLED = 6
_LEAST_SIZE = 1.0
_MOST_CODE = 0x10FFFF
# The same function with plain numbers for pointers, which is four times as fast.
_text_object = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(
    ctypes.cast(pdfium.FPDFText_GetTextObject, ctypes.c_void_p).value  # type: ignore[arg-type]
)


@dataclass(frozen=True, slots=True)
class _Style:
    font: Font
    quarter: int
    """The text's own turn on the page, in quarters, counted against the clock."""
    is_slanted: bool
    is_unmapped: bool
    tag: int = -1


class PageReader:
    """Reads one page; to be thrown away with it, as pdfium's addresses mean nothing later."""

    def __init__(self, text_page: Any, *, frame: "Frame") -> None:
        self._text_page = text_page
        self._page_address = ctypes.cast(text_page, ctypes.c_void_p).value
        self._frame = frame
        self._styles: dict[int, _Style] = {}
        self._fonts: dict[int, tuple[bool, bool, bool, bool]] = {}
        self._rectangle = pdfium.FS_RECTF()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self.has_unmapped = False

    def words(self) -> list[tuple[Word, int]]:
        """In the file's order, with the quarter each is turned by."""
        found: list[tuple[Word, int]] = []
        text = self._text()
        for match in _PIECES.finditer(text):
            start, end = match.span()
            if end - start == 1 or (
                self._owner(start) == self._owner(end - 1) and not _WIDE.search(match[0])
            ):
                self._add(found, match[0], start, end, self._owner(start), first=True)
                continue
            first = True
            while start < end:
                stop, owner = start + 1, self._owner(start)
                if not _WIDE.match(text[start]):
                    while stop < end and self._owner(stop) == owner and not _WIDE.match(text[stop]):
                        stop += 1
                self._add(found, text[start:stop], start, stop, owner, first=first)
                start, first = stop, False
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

    def _owner(self, index: int) -> int:
        """The address of the text object a character comes from."""
        return _text_object(self._page_address, index) or 0

    def _add(
        self, found: list[tuple[Word, int]], raw: str, start: int, stop: int, owner: int, *, first: bool
    ) -> None:
        style = self._styles.get(owner)
        if style is None:
            style = self._styles[owner] = self._style(start, raw)
        if style.is_unmapped:
            self.has_unmapped = True
            return
        left, top, right, bottom = self._box(start)
        other = self._box(stop - 1) if stop - start > 1 else (left, top, right, bottom)
        # pdfium turns what runs from right to left into the order of reading, but not always.
        is_visual = other[0] > left and not raw.isascii() and RTL.search(raw) is not None
        text = readable(raw[::-1] if is_visual else raw)
        if not text or style.is_slanted:
            self.has_unmapped = self.has_unmapped or not text
            return
        if stop - start > 1:
            left, top = min(left, other[0]), min(top, other[1])
            right, bottom = max(right, other[2]), max(bottom, other[3])
        pdfium.FPDFText_GetCharOrigin(self._text_page, start, self._x, self._y)
        _, baseline = self._frame.shown(self._x.value, self._y.value)
        word = Word(text, left, top, right, bottom, baseline, style.font, tag=style.tag)
        if not first and found and found[-1][1] == style.quarter:
            self._attach(found, word, style.quarter)
        else:
            found.append((word, style.quarter))

    def _attach(self, found: list[tuple[Word, int]], word: Word, quarter: int) -> None:
        """A piece without a space before it: of the same word, unless it stands elsewhere."""
        before = found[-1][0]
        size = max(before.font.size, word.font.size)
        near = (
            -0.6 * size < word.left - before.right < 0.18 * size
            or -0.6 * size < before.left - word.right < 0.18 * size
        )
        if not near or abs(word.baseline - before.baseline) > 0.75 * size:
            found.append((word, quarter))
        elif word.font == before.font and abs(word.baseline - before.baseline) < 0.05 * size:
            is_right = word.left > before.left and RTL.search(word.text) is not None
            before.text = word.text + before.text if is_right else before.text + word.text
            before.left, before.right = min(before.left, word.left), max(before.right, word.right)
            before.top, before.bottom = min(before.top, word.top), max(before.bottom, word.bottom)
        else:
            word.is_glued = True
            found.append((word, quarter))

    def _box(self, index: int) -> tuple[float, float, float, float]:
        rectangle = self._rectangle
        pdfium.FPDFText_GetLooseCharBox(self._text_page, index, rectangle)
        frame = self._frame
        if not frame.turn:
            left, top = frame.left, frame.top
            return rectangle.left - left, top - rectangle.top, rectangle.right - left, top - rectangle.bottom
        return frame.box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)

    def _style(self, index: int, raw: str) -> _Style:
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(self._text_page, index, matrix)
        scale = math.hypot(matrix.c, matrix.d) or 1.0
        size = round(abs(pdfium.FPDFText_GetFontSize(self._text_page, index)) * scale, 1)
        angle = math.degrees(math.atan2(matrix.b, matrix.a)) / 90
        if not (math.isfinite(size) and math.isfinite(angle)):
            return _Style(Font(_LEAST_SIZE), quarter=0, is_slanted=True, is_unmapped=True)
        quarter = round(angle)
        owner = pdfium.FPDFText_GetTextObject(self._text_page, index)
        is_bold, is_italic, is_mono, is_unmapped = self._font(owner, index, raw)
        return _Style(
            font=Font(max(size, _LEAST_SIZE), is_bold, is_italic, is_mono),
            quarter=quarter % 4,
            is_slanted=abs(angle - quarter) > 0.08,
            is_unmapped=is_unmapped,
            tag=pdfium.FPDFPageObj_GetMarkedContentID(owner) if owner else -1,
        )

    def _font(self, owner: Any, index: int, raw: str) -> tuple[bool, bool, bool, bool]:
        font = pdfium.FPDFTextObj_GetFont(owner) if owner else None
        key = ctypes.cast(font, ctypes.c_void_p).value or 0 if font else 0
        known = self._fonts.get(key)
        if known is None:
            name, flags, weight, angle = _font_facts(font) if font else ("", 0, 400, 0)
            known = self._fonts[key] = (
                bool(_BOLD.search(name)) or bool(flags & _FLAG_FORCE_BOLD) or weight >= 600,
                bool(_ITALIC.search(name)) or angle != 0,
                bool(_MONO.search(name)) or bool(flags & _FLAG_FIXED_PITCH),
                self._is_unmapped(index, len(raw)),
            )
        return known

    def _is_unmapped(self, index: int, length: int) -> bool:
        sampled = min(length, _SAMPLED)
        errors = sum(
            int(pdfium.FPDFText_HasUnicodeMapError(self._text_page, place) == 1)
            for place in range(index, index + sampled)
        )
        return bool(errors * 2 > sampled)


def _font_facts(font: Any) -> tuple[str, int, int, int]:
    buffer = ctypes.create_string_buffer(128)
    pdfium.FPDFFont_GetBaseFontName(font, buffer, len(buffer))
    angle = ctypes.c_int()
    pdfium.FPDFFont_GetItalicAngle(font, angle)
    name = buffer.value.decode("utf-8", "replace")
    return name, pdfium.FPDFFont_GetFlags(font), pdfium.FPDFFont_GetWeight(font), angle.value


@dataclass(frozen=True, slots=True)
class Frame:
    """From the file's coordinates to those of the page as it is shown."""

    left: float
    bottom: float
    right: float
    top: float
    turn: int

    @property
    def size(self) -> tuple[float, float]:
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.turn % 2 else (width, height)

    def shown(self, x: float, y: float) -> tuple[float, float]:
        match self.turn:
            case 1:
                across, down = y - self.bottom, x - self.left
            case 2:
                across, down = self.right - x, y - self.bottom
            case 3:
                across, down = self.top - y, self.right - x
            case _:
                across, down = x - self.left, self.top - y
        return across, down

    def box(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        x0, y0 = self.shown(left, bottom)
        x1, y1 = self.shown(right, top)
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def read_page(document: Any, index: int, form: Any = None) -> Page:
    """An unreadable page is an empty one: pdfium has repaired what can be repaired."""
    page = pdfium.FPDF_LoadPage(document, index)
    if page and form is not None and fill_in(page, form):
        pdfium.FPDF_ClosePage(page)
        page = pdfium.FPDF_LoadPage(document, index)
    if not page:
        return Page(index, 612.0, 792.0)
    try:
        return _read(page, index)
    finally:
        pdfium.FPDF_ClosePage(page)


def _read(page: Any, index: int) -> Page:
    bounds = pdfium.FS_RECTF()
    pdfium.FPDF_GetPageBoundingBox(page, bounds)
    turn = pdfium.FPDFPage_GetRotation(page) % 4
    frame = Frame(bounds.left, bounds.bottom, bounds.right, bounds.top, turn)
    text_page = pdfium.FPDFText_LoadPage(page)
    if not text_page:
        return Page(index, *frame.size)
    try:
        reader = PageReader(text_page, frame=frame)
        found = reader.words()
    finally:
        pdfium.FPDFText_ClosePage(text_page)
    result = Page(index, *frame.size, has_unmapped_text=reader.has_unmapped, file_top=bounds.top)
    result.tags = tags_of(page)
    result.has_pictures = not found and pdfium.FPDFPage_CountObjects(page) > 0
    if not found:
        return result
    # Text drawn at a quarter against the clock stands upright on a page that is turned with the clock.
    quarters: Counter[int] = Counter()
    for word, quarter in found:
        quarters[(quarter - turn) % 4] += len(word.text)
    main = quarters.most_common(1)[0][0]
    result.words = [word for word, quarter in found if (quarter - turn) % 4 == main]
    if main:
        _turn_page(result, main)
    else:
        shapes = [frame.box(*shape) for shape in shapes_of(page)]
        result.words += bullets_among(result.words, shapes)
    width, height = result.width, result.height
    result.words = [
        word
        for word in result.words
        if 0 <= (word.left + word.right) / 2 <= width and 0 <= word.middle <= height
    ]
    return result


def _turn_page(page: Page, quarters: int) -> None:
    """Sets text upright that runs up, down or upside down on the page as it is shown."""
    width, height = page.width, page.height
    page.turn = quarters
    for word in page.words:
        left, top, right, bottom = word.left, word.top, word.right, word.bottom
        if quarters == 1:  # runs up: the page's right edge becomes the bottom
            word.left, word.right, word.top, word.bottom = height - bottom, height - top, left, right
            word.baseline = right - 0.2 * (right - left)
        elif quarters == 3:
            word.left, word.right, word.top, word.bottom = top, bottom, width - right, width - left
            word.baseline = width - left - 0.2 * (right - left)
        else:
            word.left, word.right, word.top, word.bottom = (
                width - right,
                width - left,
                height - bottom,
                height - top,
            )
            word.baseline = height - word.baseline
    if quarters % 2:
        page.width, page.height = height, width
