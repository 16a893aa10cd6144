"""Rubbish and malice: each gets its own clear message, nothing is left half-written, no script runs."""

import io
import re
import struct
import zipfile
import zlib
from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e

CONTAINER = (
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
PACKAGE = (
    '<package version="3.0" xmlns="http://www.idpf.org/2007/opf" unique-identifier="i"><metadata '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">x</dc:identifier>'
    "<dc:title>{title}</dc:title><dc:language>en</dc:language></metadata><manifest>"
    '<item id="a" href="{href}" media-type="application/xhtml+xml"/></manifest>'
    '<spine><itemref idref="a"/></spine></package>'
)
MALICE = """<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title>
<script>window.top.pwned = "script"</script><link rel="stylesheet" href="http://127.0.0.1:1/x.css"/></head>
<body onload="window.pwned = 'onload'"><p onclick="window.pwned = 'onclick'">An innocent sentence.</p>
<img src="x" onerror="window.pwned = 'onerror'"/><img src="http://127.0.0.1:1/track.png"/>
<a href="javascript:window.pwned = 'href'">Click me please.</a>
<iframe src="javascript:window.top.pwned = 'frame'"></iframe>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" onload="window.pwned = 'drawn'">
<script>window.pwned = "svg"</script><image href="http://127.0.0.1:1/in.png"/><foreignObject><iframe src="http://127.0.0.1:1/"/></foreignObject>
<rect width="40" height="20" fill="teal"/></svg>
<form action="http://127.0.0.1:1/"><button>Send</button></form>
<p style="background: url(http://127.0.0.1:1/bg.png)">The end of it.</p></body></html>"""


def epub(title: str, chapter: str, *, href: str = "a.xhtml", extra: dict[str, bytes] | None = None) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        book.writestr("META-INF/container.xml", CONTAINER)
        book.writestr("book.opf", PACKAGE.format(title=title, href=href))
        book.writestr("a.xhtml", chapter)
        for name, content in (extra or {}).items():
            book.writestr(name, content)
    return body.getvalue()


def png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\0\0")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def bomb() -> bytes:
    return epub("Bomb", "<html><body><p>x</p></body></html>", extra={"big.bin": bytes(600_000_000)})


RUBBISH = {
    "empty.epub": (lambda: b"", "empty"),
    "picture.epub": (png, "image|picture|PNG"),
    "truncated.epub": (
        lambda: epub("T", f"<html><body>{'<p>Word.</p>' * 5000}</body></html>")[:900],
        "damaged|incomplete",
    ),
    "bomb.epub": (bomb, "too (large|big|much)|unpack"),
    "program.exe": (lambda: b"MZ\x90\0" + bytes(200), "program"),
}


@pytest.mark.parametrize("name", RUBBISH)
def test_rubbish_gets_a_message_of_its_own_and_leaves_nothing(reader, tmp_path, name):
    make, message = RUBBISH[name]
    file = tmp_path / name
    file.write_bytes(make())
    reader.upload(file)
    row = reader.page.locator("lectern-upload-list li[data-state=failed], .card-error").first
    row.wait_for(timeout=30_000)
    expect(row).to_contain_text(re.compile(message, re.IGNORECASE))
    expect(row).not_to_contain_text("Traceback")


def test_messages_differ_from_each_other(reader, tmp_path):
    for name in ("empty.epub", "picture.epub", "truncated.epub"):
        (tmp_path / name).write_bytes(RUBBISH[name][0]())
    reader.upload(*[tmp_path / name for name in ("empty.epub", "picture.epub", "truncated.epub")])
    failed = reader.page.locator("lectern-upload-list li[data-state=failed]")
    expect(failed).to_have_count(3, timeout=30_000)
    messages = {failed.nth(n).get_by_role("alert").inner_text() for n in range(3)}
    assert len(messages) == 3


def test_a_line_of_ten_megabytes_is_read_or_refused_clearly(reader, tmp_path):
    file = tmp_path / "line.txt"
    file.write_bytes(b"word " * 2_000_000)
    reader.upload(file)
    outcome = reader.page.locator("a.card-link, lectern-upload-list li[data-state=failed]").first
    outcome.wait_for(timeout=90_000)


def test_no_script_of_a_book_ever_runs_and_nothing_is_fetched_from_outside(reader, tmp_path):
    file = tmp_path / "malice.epub"
    file.write_bytes(epub("Malice", MALICE))
    outside: list[str] = []
    reader.page.on("request", lambda r: outside.append(r.url) if "127.0.0.1:1/" in r.url else None)
    reader.upload(file)
    reader.open("Malice")
    reader.page.get_by_text("An innocent sentence.").click()
    reader.until(lambda it: it.state == "playing" and it.word)
    reader.pause()
    reader.page.get_by_text("Click me please.").click()
    drawing = reader.page.locator('lectern-text img[src$=".svg"]')
    reader.page.wait_for_function("(image) => image.naturalWidth === 40", arg=drawing.element_handle())
    assert reader.page.evaluate("() => window.pwned") is None
    assert outside == []
    assert (
        reader.page.locator("lectern-text :is(script, iframe, form, object, embed, style, link)").count() == 0
    )


def test_paths_that_leave_the_book_reach_nothing(reader, tmp_path: Path):
    secret = tmp_path / "secret.xhtml"
    secret.write_text("<html><body><p>The secret of the server.</p></body></html>")
    file = tmp_path / "leaking.epub"
    depth = "../" * 12
    file.write_bytes(
        epub("Leaking", "<html><body><p>Inside.</p></body></html>", href=f"{depth}{str(secret).lstrip('/')}")
    )
    reader.upload(file)
    outcome = reader.page.locator("a.card-link, lectern-upload-list li[data-state=failed]").first
    outcome.wait_for(timeout=30_000)
    assert "secret of the server" not in reader.page.content()
