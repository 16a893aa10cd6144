"""The type that a book brings for its text: kept within bounds, whatever its sheets and files are like."""

import hashlib
import random
import time
import uuid
from itertools import cycle

import pytest
from books.epubs import epub
from books.reading import Reading, read

from compute_worker.documents.epub.book import parse
from compute_worker.documents.model import BookFont

FONT = b"OTTO" + bytes(range(256)) * 8
UNIQUE = str(uuid.UUID(int=0x1234567890ABCDEF << 64))
SHEET = '<item id="s" href="css/s.css" media-type="text/css"/>'
FACE = "@font-face {{ font-family: {family}; {more} src: url({url}) format('opentype') }}\n"


def face(url: str = "../f.otf", family: str = "'Old Type'", more: str = "") -> str:
    return FACE.format(family=family, more=more, url=url)


def book_with(css: str, *, encryption: str = "", **fonts: bytes) -> Reading:
    files: dict[str, bytes | str] = {"OPS/css/s.css": css}
    files |= {f"OPS/{name}.otf": content for name, content in fonts.items()}
    if encryption:
        files["META-INF/encryption.xml"] = encryption
    identifier = f'<dc:identifier id="uid">urn:uuid:{UNIQUE}</dc:identifier>'
    book = epub({"a.xhtml": "<p>Text.</p>"}, items=SHEET, metadata=identifier, others=files)
    reading = read(parse, book)
    assert reading.texts() == ["Text."], "whatever its fonts are like"
    assert sorted(reading.resources) == sorted({font.resource for font in reading.document.fonts})
    return reading


def name_of(content: bytes, extension: str = "otf") -> str:
    return f"{hashlib.sha256(content).hexdigest()[:16]}.{extension}"


def test_the_faces_of_the_family_of_the_body_are_kept() -> None:
    italic, heading = b"wOF2" + FONT, b"wOFF" + FONT
    css = (
        face()
        + face("'../i.otf'", "old  type", "font-style: italic; font-weight: bold;")
        + face("../h.otf", "Display")
        + "h1 { font-family: Display } /* body { font-family: Display } */"
        + "html, BODY { font-family: missing, 'Old Type' }"
    )
    book = book_with(css, f=FONT, i=italic, h=heading)
    assert book.document.fonts == (
        BookFont(name_of(FONT), 400, False),
        BookFont(name_of(italic, "woff2"), 700, True),
    )
    assert book.resources[name_of(FONT)] == FONT


def test_a_family_for_headings_alone_is_not_that_of_the_text() -> None:
    other = face("../h.otf", "Display")
    assert book_with(face() + other + "h1 { font-family: Display }", f=FONT, h=FONT).document.fonts == ()
    assert len(book_with(face(), f=FONT).document.fonts) == 1, "the only one there is"


def masked(content: bytes, key: bytes, length: int) -> bytes:
    head = bytes(one ^ other for one, other in zip(content[:length], cycle(key), strict=False))
    return head + content[length:]


@pytest.mark.parametrize("method", ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"])
def test_obfuscated_fonts_are_made_readable(method: str) -> None:
    is_idpf = "idpf" in method
    key = hashlib.sha1(f"urn:uuid:{UNIQUE}".encode()).digest() if is_idpf else uuid.UUID(UNIQUE).bytes
    hidden = masked(FONT, key, 1040 if is_idpf else 1024)
    encryption = (
        f'<encryption><EncryptedData><EncryptionMethod Algorithm="{method}"/><CipherData>'
        '<CipherReference URI="OPS/f.otf"/></CipherData></EncryptedData></encryption>'
    )
    assert not hidden.startswith(b"OTTO")
    assert list(book_with(face(), encryption=encryption, f=hidden).resources.values()) == [FONT]
    assert book_with(face(), f=hidden).resources == {}


@pytest.mark.parametrize(
    ("url", "content"),
    [
        ("http://evil.test/f.otf", FONT),
        ("//evil.test/f.otf", FONT),
        ("../../../../etc/passwd", FONT),
        ("data:font/otf;base64,T1RUTw==", FONT),
        ("../gone.otf", FONT),
        ("../f.otf", b"<svg onload='alert(1)'/>"),
        ("../f.otf", b""),
        ("../f.otf", b"ttcf" + bytes(99)),
        ("../f.otf", b"OTTO" + random.Random(1).randbytes(4 * 1024 * 1024)),
    ],
    ids=["elsewhere", "no scheme", "outside", "data", "gone", "drawing", "empty", "collection", "large"],
)
def test_what_is_no_font_of_the_book_is_left_out(url: str, content: bytes) -> None:
    assert book_with(face(url), f=content).document.fonts == ()


def test_faces_without_end_are_bounded() -> None:
    weights = [100, 200, 300, 400, 500, 600, 700, 800, 900]
    css = "".join(face(f"../f{n}.otf", more=f"font-weight: {weight};") for n, weight in enumerate(weights))
    fonts = {f"f{n}": FONT + bytes([n]) for n in range(9)}
    assert len(book_with(css + css, **fonts).document.fonts) == 8


@pytest.mark.parametrize(
    "css",
    [
        "{" * 500_000,
        "}" * 500_000,
        "/*" * 300_000,
        "a" * 900_000,
        "url(" * 200_000,
        "@font-face{src:" + "url('" * 150_000 + "}",
    ],
)
def test_hostile_style_sheets_take_little_time(css: str) -> None:
    began = time.process_time()
    assert book_with(css, f=FONT).document.fonts == ()
    assert time.process_time() - began < 20
