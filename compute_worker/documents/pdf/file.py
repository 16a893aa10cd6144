"""Opens a PDF with pdfium and says clearly why one cannot be opened."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pypdfium2.raw as pdfium

from compute_worker.documents.failures import (
    empty,
    over_limit,
    password_required,
    password_wrong,
    refused,
)
from compute_worker.documents.pdf.forms import open_form

MOST_PAGES: Final = 20_000
_ERROR_PASSWORD, _ERROR_SECURITY = 4, 5
_MOST_BOOKMARKS = 20_000
_MOST_BOOKMARK_DEPTH = 8


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    title: str
    page: int
    """From 0; -1 where the entry leads nowhere."""
    y: float | None
    """In the file's own coordinates, from the bottom."""
    children: tuple["OutlineEntry", ...] = ()


class PdfFile:
    """form: of its fields; None without one."""

    def __init__(self, handle: Any, form: Any, *, is_locked: bool) -> None:
        """is_locked: it opens only with a password."""
        self.handle = handle
        self.form = form
        self.is_locked = is_locked
        self.page_count = pdfium.FPDF_GetPageCount(handle)

    def metadata(self, name: str) -> str:
        size = pdfium.FPDF_GetMetaText(self.handle, name.encode(), None, 0)
        buffer = ctypes.create_string_buffer(size)
        pdfium.FPDF_GetMetaText(self.handle, name.encode(), buffer, size)
        return _decoded(buffer)

    def language(self) -> str:
        size = pdfium.FPDFCatalog_GetLanguage(self.handle, None, 0)
        buffer = (ctypes.c_ushort * max(1, size // 2 + 1))()
        pdfium.FPDFCatalog_GetLanguage(self.handle, buffer, size)
        return bytes(buffer).decode("utf-16-le", "replace").partition("\0")[0]

    def outline(self) -> tuple[OutlineEntry, ...]:
        seen: set[int] = set()
        return tuple(self._bookmarks(None, 0, seen))

    def save_unlocked(self, path: Path) -> None:
        """The same file, opening without a password. Raises PDF_PROTECTED."""
        with path.open("wb") as target:

            def write(_self: Any, data: Any, size: int) -> int:
                return int(target.write(ctypes.string_at(data, size)) == size)

            writer = pdfium.FPDF_FILEWRITE(version=1)
            writer.WriteBlock = type(writer.WriteBlock)(write)
            if not pdfium.FPDF_SaveAsCopy(self.handle, writer, pdfium.FPDF_REMOVE_SECURITY):
                raise _refusal(_ERROR_SECURITY)

    def _bookmarks(self, parent: Any, depth: int, seen: set[int]) -> Iterator[OutlineEntry]:
        bookmark = pdfium.FPDFBookmark_GetFirstChild(self.handle, parent)
        while bookmark:
            address = ctypes.addressof(bookmark.contents)
            if address in seen or len(seen) >= _MOST_BOOKMARKS:
                return
            seen.add(address)
            page, y = self._destination(bookmark)
            children = (
                tuple(self._bookmarks(bookmark, depth + 1, seen)) if depth < _MOST_BOOKMARK_DEPTH else ()
            )
            size = pdfium.FPDFBookmark_GetTitle(bookmark, None, 0)
            buffer = ctypes.create_string_buffer(size)
            pdfium.FPDFBookmark_GetTitle(bookmark, buffer, size)
            yield OutlineEntry(" ".join(_decoded(buffer).split()), page, y, children)
            bookmark = pdfium.FPDFBookmark_GetNextSibling(self.handle, bookmark)

    def _destination(self, bookmark: Any) -> tuple[int, float | None]:
        destination = pdfium.FPDFBookmark_GetDest(self.handle, bookmark)
        if not destination:
            return -1, None
        page = pdfium.FPDFDest_GetDestPageIndex(self.handle, destination)
        has = [ctypes.c_int() for _ in range(3)]
        place = [ctypes.c_float() for _ in range(3)]
        found = pdfium.FPDFDest_GetLocationInPage(destination, *has, *place)
        return page, place[1].value if found and has[1].value else None


@contextmanager
def open_pdf(path: Path, *, password: str = "") -> Iterator[PdfFile]:
    """Raises DOCUMENT_EMPTY, PASSWORD_REQUIRED, PASSWORD_WRONG, PDF_PROTECTED or PDF_DAMAGED. A file with an
    empty password simply opens."""
    if path.stat().st_size == 0:
        raise empty()
    pdfium.FPDF_InitLibrary()
    handle = pdfium.FPDF_LoadDocument(str(path).encode(), None)
    is_locked = not handle and pdfium.FPDF_GetLastError() == _ERROR_PASSWORD
    if is_locked and password:
        handle = pdfium.FPDF_LoadDocument(str(path).encode(), password.encode())
    if not handle:
        raise _refusal(pdfium.FPDF_GetLastError(), has_password=bool(password))
    try:
        with open_form(handle) as form:
            file = PdfFile(handle, form, is_locked=is_locked)
            if file.page_count < 1:
                raise refused("PDF_DAMAGED", "This PDF has no pages: it is damaged.")
            if file.page_count > MOST_PAGES:
                raise over_limit("DOCUMENT_TOO_LONG", f"The document has more than {MOST_PAGES:,} pages.")
            yield file
    finally:
        pdfium.FPDF_CloseDocument(handle)


def _refusal(error: int, *, has_password: bool = False) -> Exception:
    if error == _ERROR_PASSWORD:
        return password_wrong() if has_password else password_required()
    if error == _ERROR_SECURITY:
        return refused("PDF_PROTECTED", "This PDF is protected in a way that Lectern cannot open.")
    return refused("PDF_DAMAGED", "This PDF is damaged and cannot be opened.")


def _decoded(buffer: Any) -> str:
    return str(buffer.raw.decode("utf-16-le", "replace")).partition("\0")[0].strip()
