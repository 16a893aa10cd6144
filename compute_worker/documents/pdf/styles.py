"""How the text of a page's objects is set: fonts, sizes, turns. Objects set alike share one style."""

import ctypes
import math
import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Final, NamedTuple

import pypdfium2.raw as pdfium

from compute_worker.documents.pdf.direct_calls import (
    address_of,
    font_of_object,
    font_size,
    marked_content_id,
    text_matrix,
)
from compute_worker.documents.pdf.model import Font

_BOLD = re.compile(r"bold|black|heavy|semibold|demi|[-,]b$|cmbx|cmb1|-bd", re.IGNORECASE)
_ITALIC = re.compile(r"italic|oblique|[-,]it$|cmti|slant", re.IGNORECASE)
_MONO = re.compile(r"courier|mono|consol|cmtt|typewriter|lucidacon|menlo|sourcecode", re.IGNORECASE)
_FLAG_FIXED_PITCH, _FLAG_FORCE_BOLD = 1, 1 << 18
_SAMPLED: Final = 6
_LEAST_SIZE: Final = 1.0
_MOST_SLANT: Final = 0.08  # quarters


@dataclass(frozen=True, slots=True)
class Style:
    font: Font
    quarter: int
    """The text's own turn on the page, in quarters, counted against the clock."""
    is_slanted: bool
    is_unmapped: bool
    tag: int = -1


class _Setting(NamedTuple):
    """What pdfium knows of how an object is set: the first two columns of its matrix, its font's size and
    address, its marked content."""

    a: float
    b: float
    c: float
    d: float
    size: float
    font: int
    tag: int


class PageStyles:
    """To be thrown away with the page, as pdfium's addresses mean nothing later."""

    def __init__(self, text_page: Any) -> None:
        self._text_page = text_page
        self._styles: dict[_Setting, Style] = {}
        self._fonts: dict[int, tuple[bool, bool, bool, bool]] = {}

    def of_objects(self, firsts: Mapping[int, tuple[int, str]]) -> dict[int, Style]:
        """firsts: index and text of the first piece that comes from each text object."""
        owners, page = list(firsts), repeat(address_of(self._text_page))
        indices = [index for index, _ in firsts.values()]
        matrices = (ctypes.c_float * (6 * len(owners)))()
        address, size = ctypes.addressof(matrices), 6 * ctypes.sizeof(ctypes.c_float)
        deque(map(text_matrix, page, indices, range(address, address + size * len(owners), size)), maxlen=0)
        settings = map(
            _Setting,
            matrices[0::6],
            matrices[1::6],
            matrices[2::6],
            matrices[3::6],
            map(font_size, page, indices),
            [font_of_object(owner) or 0 if owner else 0 for owner in owners],
            [marked_content_id(owner) if owner else -1 for owner in owners],
        )
        found: dict[int, Style] = {}
        for setting, (owner, (index, text)) in zip(settings, firsts.items(), strict=True):
            style = self._styles.get(setting)
            if style is None:
                style = self._styles[setting] = self._style(setting, index, text)
            found[owner] = style
        return found

    def _style(self, setting: _Setting, index: int, raw: str) -> Style:
        a, b, c, d, size, font, tag = setting
        size = round(abs(size) * (math.hypot(c, d) or 1.0), 1)
        angle = math.degrees(math.atan2(b, a)) / 90
        if not (math.isfinite(size) and math.isfinite(angle)):
            return Style(Font(_LEAST_SIZE), quarter=0, is_slanted=True, is_unmapped=True)
        quarter = round(angle)
        is_bold, is_italic, is_mono, is_unmapped = self._font(font, index, raw)
        return Style(
            font=Font(max(size, _LEAST_SIZE), is_bold, is_italic, is_mono),
            quarter=quarter % 4,
            is_slanted=abs(angle - quarter) > _MOST_SLANT,
            is_unmapped=is_unmapped,
            tag=tag,
        )

    def _font(self, font: int, index: int, raw: str) -> tuple[bool, bool, bool, bool]:
        known = self._fonts.get(font)
        if known is None:
            name, flags, weight, angle = _font_facts(font) if font else ("", 0, 400, 0)
            known = self._fonts[font] = (
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


def _font_facts(address: int) -> tuple[str, int, int, int]:
    font = ctypes.cast(address, pdfium.FPDF_FONT)
    buffer = ctypes.create_string_buffer(128)
    pdfium.FPDFFont_GetBaseFontName(font, buffer, len(buffer))
    angle = ctypes.c_int()
    pdfium.FPDFFont_GetItalicAngle(font, angle)
    name = buffer.value.decode("utf-8", "replace")
    return name, pdfium.FPDFFont_GetFlags(font), pdfium.FPDFFont_GetWeight(font), angle.value
