"""The process that draws the pages of one PDF: `python -m compute_worker.documents.page_images.child`.

Like the parser's it may use little, knows no address and no secret, and may die. The first line of its input
is {path, limits}; each after that, {page, width}, is answered by a line {bytes: n} and as many bytes of an
image, or by {error: {code, reason, message}}.
"""

import ctypes
import io
import json
import sys
from pathlib import Path
from typing import Any, Final

import pypdfium2.raw as pdfium
from PIL import Image

from compute_worker.documents.child import limit
from compute_worker.documents.page_images.failures import no_such_page, too_complex
from compute_worker.documents.pdf.file import PdfFile, open_pdf
from shared.errors import LecternError

_WHITE: Final = 0xFFFFFFFF
_MOST_PIXELS: Final = 24_000_000  # 96 MB while it is drawn
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
    while line := sys.stdin.buffer.readline():
        request = json.loads(line)
        try:
            image = draw(file, request["page"], request["width"])
        except LecternError as error:
            _refuse(error)
        except MemoryError:
            _refuse(too_complex())
        else:
            _say({"bytes": len(image)}, image)


def draw(file: PdfFile, number: int, width: int) -> bytes:
    """A JPEG that wide, or narrower for a very long page. Raises PART_NOT_FOUND."""
    if number >= file.page_count:
        raise no_such_page()
    page = pdfium.FPDF_LoadPage(file.handle, number)
    if not page:
        return _packed(Image.new("RGB", (width, round(width * 1.3)), "white"))  # as the parser has it
    try:
        across, down = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
        return _packed(_picture(page, file.form, *_size(width, across, down)))
    finally:
        pdfium.FPDF_ClosePage(page)


def _size(width: int, across: float, down: float) -> tuple[int, int]:
    height = width * max(down, 1.0) / max(across, 1.0)
    scale = min(1.0, (_MOST_PIXELS / (width * height)) ** 0.5)
    return max(1, round(width * scale)), max(1, min(round(height * scale), _MOST_PIXELS))


def _picture(page: Any, form: Any, width: int, height: int) -> Image.Image:
    bitmap = pdfium.FPDFBitmap_Create(width, height, 0)
    if not bitmap:
        raise too_complex()
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
        flags = pdfium.FPDF_ANNOT | pdfium.FPDF_REVERSE_BYTE_ORDER
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags)
        if form is not None:
            pdfium.FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, flags)
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
