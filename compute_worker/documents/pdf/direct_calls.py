"""Those of pdfium's functions that are called for every word of a page, with plain numbers for pointers.

That is much faster than with ctypes' own objects for them, of which each call would make several. They keep
the interpreter's lock, as each takes less time than to hand it over.
"""

import ctypes
from typing import Any

import pypdfium2.raw as pdfium

_int, _pointer = ctypes.c_int, ctypes.c_void_p


def address_of(pointer: Any) -> int:
    """0 for none."""
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


def _direct(function: Any, result: Any, *arguments: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, *arguments)(address_of(function))


text_object = _direct(pdfium.FPDFText_GetTextObject, _pointer, _pointer, _int)
loose_char_box = _direct(pdfium.FPDFText_GetLooseCharBox, _int, _pointer, _int, _pointer)
char_origin = _direct(pdfium.FPDFText_GetCharOrigin, _int, _pointer, _int, _pointer, _pointer)
text_matrix = _direct(pdfium.FPDFText_GetMatrix, _int, _pointer, _int, _pointer)
font_size = _direct(pdfium.FPDFText_GetFontSize, ctypes.c_double, _pointer, _int)
font_of_object = _direct(pdfium.FPDFTextObj_GetFont, _pointer, _pointer)
marked_content_id = _direct(pdfium.FPDFPageObj_GetMarkedContentID, _int, _pointer)
page_object = _direct(pdfium.FPDFPage_GetObject, _pointer, _pointer, _int)
object_type = _direct(pdfium.FPDFPageObj_GetType, _int, _pointer)
object_bounds = _direct(pdfium.FPDFPageObj_GetBounds, _int, _pointer, _pointer, _pointer, _pointer, _pointer)
