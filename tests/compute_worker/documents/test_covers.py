"""What a document looks like in the library: its cover, or its first page."""

import io
from pathlib import Path
from typing import Any

import pytest
from books.epubs import PNG, epub
from books.reading import Reading, read
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from compute_worker.documents.drawings import picture_of
from compute_worker.documents.epub import book as epub_book
from compute_worker.documents.pdf import document as pdf_document

SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" viewBox="0 0 60 90">'
RED, BLUE = (200, 20, 20), (20, 20, 200)


def picture(color: tuple[int, int, int]) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (6, 9), color).save(target, "PNG")
    return target.getvalue()


def shown(content: bytes) -> Any:
    return Image.open(io.BytesIO(content)).convert("RGB")


def is_about(pixel: tuple[int, ...], color: tuple[int, int, int]) -> bool:
    return all(abs(one - other) < 12 for one, other in zip(pixel, color, strict=True))


def cover_of(book: Reading) -> bytes:
    return book.resources[book.document.cover]


def drawn_cover(svg: str, **others: bytes) -> Reading:
    item = '<item id="c" href="c.svg" media-type="image/svg+xml" properties="cover-image"/>'
    files = {"OPS/c.svg": svg, **{f"OPS/{name}.png": content for name, content in others.items()}}
    return read(epub_book.parse, epub({"one.xhtml": "<p>Text.</p>"}, items=item, others=files))


def test_a_drawn_cover_becomes_a_picture_of_it() -> None:
    svg = f'{SVG}<rect width="60" height="45" fill="rgb(200,20,20)"/><image x:href="b.png" y="45" width="60" '
    book = drawn_cover(
        svg + 'height="45" preserveAspectRatio="none"/><script>alert(1)</script></svg>', b=picture(BLUE)
    )
    assert book.document.cover.endswith(".jpg")
    image = shown(cover_of(book))
    assert image.size == (600, 900)
    assert is_about(image.getpixel((300, 200)), RED)
    assert is_about(image.getpixel((300, 700)), BLUE)
    assert b"script" not in cover_of(book)


def test_a_drawing_loads_nothing_from_the_machine(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(picture(RED))
    nested = f"{SVG}<image href='{secret}' width='60' height='90'/></svg>".encode()
    asked = []

    def member(address: str) -> bytes:
        asked.append(address)
        return nested if address == "nested.svg" else b""

    whole = 'width="60" height="90"'
    drawing = "".join(
        f'<image href="{address}" {whole}/>' for address in (str(secret), f"file://{secret}", "nested.svg")
    )
    image = shown(picture_of(f"{SVG}<path d='M0 0'/>{drawing}</svg>".encode(), member=member))
    assert is_about(image.getpixel((300, 450)), (255, 255, 255))
    assert asked == [str(secret), f"file://{secret}", "nested.svg"]


@pytest.mark.parametrize(
    "drawing",
    [
        "",
        "<svg",
        "<html/>",
        "<svg xmlns='http://www.w3.org/2000/svg'/>",
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 100000'><path/></svg>",
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 0 0'><path/></svg>",
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 nan 5'><path/></svg>",
        f"{SVG}{'<path/>' * 5_000}</svg>",
    ],
)
def test_what_is_no_drawing_of_a_cover_is_none(drawing: str) -> None:
    assert picture_of(drawing.encode(), member=lambda _: b"") == b""
    assert drawn_cover(drawing or " ").document.cover == ""


def test_without_a_declared_cover_it_is_the_picture_that_is_the_whole_first_page() -> None:
    pages = {"one.xhtml": '<div><img src="a.png" alt="Cover"/></div>', "two.xhtml": "<p>Text.</p>"}
    book = read(epub_book.parse, epub(pages, others={"OPS/a.png": PNG}))
    assert cover_of(book) == PNG
    with_text = {"one.xhtml": f'<p>{"Words. " * 20}</p><img src="a.png"/>'}
    assert read(epub_book.parse, epub(with_text, others={"OPS/a.png": PNG})).document.cover == ""


def test_the_cover_of_a_pdf_is_its_first_page() -> None:
    body = io.BytesIO()
    canvas = Canvas(body, pagesize=(400, 600), invariant=True)
    for color in (RED, BLUE):
        canvas.setFillColorRGB(*(part / 255 for part in color))
        canvas.rect(0, 300, 400, 300, stroke=0, fill=1)
        canvas.setFillColorRGB(0, 0, 0)
        canvas.drawString(40, 200, "Some words that are read aloud.")
        canvas.showPage()
    canvas.save()
    image = shown(cover_of(read(pdf_document.parse, body.getvalue())))
    assert image.size == (480, 720)
    assert is_about(image.getpixel((240, 100)), RED)
