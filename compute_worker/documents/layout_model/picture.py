"""A page as a picture of exactly the size that a model wants, whatever the page's own shape."""

import ctypes
from typing import Any, Final

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

_WHITE: Final = 0xFFFFFFFF


def picture_of(document: Any, index: int, width: int, height: int) -> NDArray[np.uint8] | None:
    """Red, green, blue; None for a page that can't be drawn."""
    page = pdfium.FPDF_LoadPage(document, index)
    bitmap = pdfium.FPDFBitmap_Create(width, height, 0) if page else None
    if not page or not bitmap:
        return None
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, 0)
        stride = pdfium.FPDFBitmap_GetStride(bitmap)
        address = pdfium.FPDFBitmap_GetBuffer(bitmap)
        raw = ctypes.string_at(address, stride * height)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
        pdfium.FPDF_ClosePage(page)
    pixels = np.frombuffer(raw, np.uint8).reshape(height, stride)[:, : 4 * width]
    return np.ascontiguousarray(pixels.reshape(height, width, 4)[:, :, 2::-1])
