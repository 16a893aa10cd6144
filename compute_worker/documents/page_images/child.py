"""The process that draws the pages of one PDF: `python -m compute_worker.documents.page_images.child`.

Like the parser's it may use little, knows no address and no secret, and may die. The first line of its input
is {path, limits}; each after that, {page, width} or {page, width, tile: {column, row}}, is answered by a line
{bytes: n} and as many bytes of an image, or by {error: {code, reason, message}}.
"""

import ctypes
import io
import json
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import pypdfium2.raw as pdfium
from PIL import Image

from compute_worker.documents.child import limit
from compute_worker.documents.page_images.failures import no_such_page, too_complex
from compute_worker.documents.pdf.file import PdfFile, open_pdf
from shared.errors import LecternError
from shared.page_images import MOST_PIXELS, TILE_PIXELS, PageImage, Tile

_WHITE: Final = 0xFFFFFFFF
_LONGEST_SIDE: Final = 65_000  # of a JPEG
_PAGE_WITHOUT_SIZE: Final = (1.0, 1.3)
# Measured over papers, slides and scans at 1,200 pixels: 6-20 ms; WebP takes 80-340 ms for half the bytes.
_QUALITY: Final = 85
_FULL_COLOR: Final = 0  # libjpeg's 4:4:4; otherwise coloured text is blurred


def main() -> None:
    job = json.loads(sys.stdin.buffer.readline())
    limit(job["limits"])
    try:
        with open_pdf(Path(job["path"])) as file:
            _serve(file)
    except LecternError as error:
        while sys.stdin.buffer.readline():
            _refuse(error)


def _serve(file: PdfFile) -> None:
    with PageDrawer(file) as drawer:
        while line := sys.stdin.buffer.readline():
            request = json.loads(line)
            tile = Tile(**request["tile"]) if request.get("tile") else None
            try:
                image = drawer.draw(PageImage(request["page"], request["width"], tile))
            except LecternError as error:
                _refuse(error)
            except MemoryError:
                _refuse(too_complex())
            else:
                _say({"bytes": len(image)}, image)


def draw(file: PdfFile, number: int, width: int) -> bytes:
    """A page by itself. Raises PART_NOT_FOUND."""
    with PageDrawer(file) as drawer:
        return drawer.draw(PageImage(number, width))


class PageDrawer:
    """A context manager. The page that was drawn last stays open: its other squares are wanted next."""

    def __init__(self, file: PdfFile) -> None:
        self._file = file
        self._number = -1
        self._page: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def draw(self, image: PageImage) -> bytes:
        """A JPEG that wide, or narrower for a very long page; or a square of one. Raises PART_NOT_FOUND."""
        page = self._opened(image.page)
        size = (
            (pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page))
            if page
            else _PAGE_WITHOUT_SIZE
        )
        width, height = _size(image.width, *size, is_whole=image.tile is None)
        area = _area(width, height, image.tile)
        if not page:
            return _packed(Image.new("RGB", (area.right - area.left, area.bottom - area.top), "white"))
        return _packed(_picture(page, self._file.form, (width, height), area))

    def _opened(self, number: int) -> Any:
        """None for what can't be loaded: blank, as the parser has it."""
        if number >= self._file.page_count:
            raise no_such_page()
        if number != self._number:
            self._close()
            self._page = pdfium.FPDF_LoadPage(self._file.handle, number)
            self._number = number
        return self._page

    def _close(self) -> None:
        if self._page:
            pdfium.FPDF_ClosePage(self._page)
        self._number, self._page = -1, None


class _Area(NamedTuple):
    left: int
    top: int
    right: int
    bottom: int


def _size(width: int, across: float, down: float, *, is_whole: bool) -> tuple[int, int]:
    height = width * max(down, 1.0) / max(across, 1.0)
    scale = min(1.0, (MOST_PIXELS / (width * height)) ** 0.5, _LONGEST_SIDE / height) if is_whole else 1.0
    return max(1, round(width * scale)), max(1, round(height * scale))


def _area(width: int, height: int, tile: Tile | None) -> _Area:
    if tile is None:
        return _Area(0, 0, width, height)
    left, top = tile.column * TILE_PIXELS, tile.row * TILE_PIXELS
    if left >= width or top >= height:
        raise no_such_page()
    return _Area(left, top, min(width, left + TILE_PIXELS), min(height, top + TILE_PIXELS))


def _picture(page: Any, form: Any, size: tuple[int, int], area: _Area) -> Image.Image:
    width, height = area.right - area.left, area.bottom - area.top
    bitmap = pdfium.FPDFBitmap_Create(width, height, 0)
    if not bitmap:
        raise too_complex()
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
        flags = pdfium.FPDF_ANNOT | pdfium.FPDF_REVERSE_BYTE_ORDER
        place = (-area.left, -area.top, *size, 0, flags)
        pdfium.FPDF_RenderPageBitmap(bitmap, page, *place)
        if form is not None:
            pdfium.FPDF_FFLDraw(form, bitmap, page, *place)
        stride = pdfium.FPDFBitmap_GetStride(bitmap)
        raw = ctypes.string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * height)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    return Image.frombuffer("RGB", (width, height), raw, "raw", "RGBX", stride, 1)


def _packed(picture: Image.Image) -> bytes:
    target = io.BytesIO()
    picture.save(target, "JPEG", quality=_QUALITY, subsampling=_FULL_COLOR)
    return target.getvalue()


def _refuse(error: LecternError) -> None:
    _say({"error": {"code": error.code.name, "reason": error.reason, "message": error.message}})


def _say(message: dict[str, object], body: bytes = b"") -> None:
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + body)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
