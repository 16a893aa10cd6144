"""What stands on one page of a file: its words, set upright, its tags, its drawn bullets and lines."""

from typing import Any

import pypdfium2.raw as pdfium

from compute_worker.documents.pdf.bullets import bullets_among
from compute_worker.documents.pdf.drawings import drawings_of
from compute_worker.documents.pdf.forms import fill_in
from compute_worker.documents.pdf.frame import Frame
from compute_worker.documents.pdf.model import Page
from compute_worker.documents.pdf.page_words import PageReader
from compute_worker.documents.pdf.tags import tags_of


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
    letters = [0, 0, 0, 0]
    for word, quarter in found:
        letters[(quarter - turn) % 4] += len(word.text)
    main = letters.index(max(letters))
    result.words = [word for word, quarter in found if (quarter - turn) % 4 == main]
    if main:
        _turn_page(result, main)
    else:
        drawings = drawings_of(page, frame)
        result.lines = drawings.lines
        result.words += bullets_among(result.words, drawings.bullets)
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
