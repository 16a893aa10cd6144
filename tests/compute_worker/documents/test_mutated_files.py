"""Files of every format but PDF (which has its own), damaged at random: each ends in a document that keeps
all promises, or in an error that says what is wrong with the file."""

import importlib
import io
import random
import zipfile
from collections.abc import Callable

import pytest
from books.epubs import PNG, epub
from books.reading import read

from compute_worker.documents.child import PARSERS
from shared.errors import Code, LecternError

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PAGE = (
    '<html lang="en"><head><title>River</title><style>.x { display: none }</style></head><body>'
    '<h1 id="a">River</h1>'
    "<p>It rose. <b>Nobody</b> was <i>surprised</i>&#8212;by &amp; by.</p><ul><li>One<li>Two</ul>"
    '<table><tr><th>Y<td>1</table><img src="i.png" alt="A boat"><a href="#a">up</a></body></html>'
)
MARKDOWN = """---
title: River
---
# River

It *rose*.[^1]

| a | b |
|---|---|
| 1 | 2 |

[^1]: Note.

- x
  1. y
"""


def zipped(files: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return content.getvalue()


def docx() -> bytes:
    runs = "".join(f"<w:p><w:r><w:t>Sentence {number}.</w:t></w:r></w:p>" for number in range(5))
    types = (
        f'<Types xmlns="{PACKAGE}/content-types"><Override PartName="/word/document.xml" '
        'ContentType="application/'
        'vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    relations = (
        f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="a" Type="{OFFICE}/officeDocument" '
        'Target="word/document.xml"/></Relationships>'
    )
    table = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    document = f'<w:document xmlns:w="{W}"><w:body>{runs}{table}</w:body></w:document>'
    return zipped(
        {
            "[Content_Types].xml": types.encode(),
            "_rels/.rels": relations.encode(),
            "word/document.xml": document.encode(),
        }
    )


def book() -> bytes:
    chapter = '<h1>One</h1><p>First. Second.</p><img src="i.png" alt="Pic."/>'
    return epub({"a.xhtml": chapter, "b.xhtml": "<p>Third.</p>"}, others={"OPS/i.png": PNG})


ORIGINALS: dict[str, Callable[[], bytes]] = {
    "docx": docx,
    "epub": book,
    "html": PAGE.encode,
    "web_page": PAGE.encode,
    "markdown": MARKDOWN.encode,
    "text": "Chapter I\n\nIt rose — überall.\n\nChapter II\n\nNobody was surprised.\n".encode,
}


def damaged(source: random.Random, content: bytes) -> bytes:
    body = bytearray(content)
    for _ in range(source.choice([1, 1, 3, 12])):
        place = source.randrange(len(body) or 1)
        match source.randrange(4):
            case 0:
                body[place : place + 1] = source.randbytes(1)
            case 1:
                del body[place : place + source.randrange(1, 30)]
            case 2:
                body[place:place] = source.choice(
                    [b"<", b">", b"&", b"\0", b'"', b"</p>", b"<p", b"\xff", b"]]>"]
                )
            case _:
                body[place:place] = body[: source.randrange(60)]
    return bytes(body[: source.randrange(len(body) or 1)]) if source.random() < 0.15 else bytes(body)


def damaged_inside(source: random.Random, content: bytes) -> bytes:
    """An archive that is whole, around entries that aren't."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    name = source.choice([name for name in files if name != "mimetype"])
    return zipped(files | {name: damaged(source, files[name])})


@pytest.mark.parametrize("source_format", ORIGINALS)
def test_damaged_files_end_in_a_document_or_a_clear_error(source_format: str) -> None:
    source, original = random.Random(7), ORIGINALS[source_format]()
    parser = importlib.import_module(PARSERS[source_format])
    assert read(parser.parse, original).blocks
    for number in range(24):
        is_archive = source_format in {"docx", "epub"}
        damage = damaged_inside if is_archive and number % 2 else damaged
        content = damage(source, original)
        try:
            read(parser.parse, content)
        except LecternError as error:
            assert error.code in {Code.INVALID_ARGUMENT, Code.RESOURCE_EXHAUSTED}, content  # noqa: PT017 - or it is read
            assert error.message.endswith((".", ")")), error.message  # noqa: PT017
