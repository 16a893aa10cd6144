"""Word documents: styles are roles, and what is not part of the text is not read."""

import io
import zipfile
from pathlib import Path

import pytest
from books.epubs import locked
from books.reading import Reading, read

from compute_worker.documents import docx_file
from compute_worker.documents.model import BlockRole
from shared.errors import LecternError

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
CONTENT_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument'
    '.wordprocessingml.document.main+xml"/></Types>'
)
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
RELATIONS = (
    f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="a" '
    f'Type="{OFFICE}/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)
STYLES = (
    f'<w:styles xmlns:w="{W}"><w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Q"><w:name w:val="Quote"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="C"><w:name w:val="caption"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="O"><w:name w:val="toc 1"/></w:style></w:styles>'
)
STYLE_RELATIONS = (
    f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="s" '
    f'Type="{OFFICE}/relationships/styles" Target="styles.xml"/>'
    "</Relationships>"
)


def paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def docx(body: str, **others: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("[Content_Types].xml", CONTENT_TYPES)
        archive.writestr("_rels/.rels", RELATIONS)
        archive.writestr("word/_rels/document.xml.rels", STYLE_RELATIONS)
        archive.writestr("word/styles.xml", STYLES)
        document = f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
        archive.writestr("word/document.xml", document)
        for name, text in others.items():
            archive.writestr(name, text)
    return content.getvalue()


def read_docx(content: bytes) -> Reading:
    return read(docx_file.parse, content, file_name="letter.docx")


def read_sample(samples: Path, name: str) -> Reading:
    return read_docx((samples / "docx" / f"{name}.docx").read_bytes())


def test_styles_are_roles_and_a_printed_contents_is_left_out() -> None:
    reading = read_docx(
        docx(
            paragraph("Letters", "T")
            + paragraph("One 3", "O")
            + paragraph("One", "H")
            + paragraph("Text.")
            + paragraph("Said.", "Q")
            + paragraph("A figure.", "C")
        )
    )
    assert [(block.role, block.text) for block in reading.blocks] == [
        (BlockRole.TITLE, "Letters"),
        (BlockRole.HEADING, "One"),
        (BlockRole.PARAGRAPH, "Text."),
        (BlockRole.QUOTE, "Said."),
        (BlockRole.CAPTION, "A figure."),
    ]
    assert reading.document.title == "Letters"
    assert reading.document.source_format == "docx"


def test_deleted_text_is_not_read_and_inserted_text_is() -> None:
    body = (
        "<w:p><w:r><w:t>The </w:t></w:r><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:r><w:t> text.</w:t></w:r></w:p>"
    )
    assert read_docx(docx(body)).texts() == ["The new text."]


def test_declared_title_author_and_language_are_kept() -> None:
    core = (
        f'<c:coreProperties xmlns:c="{PACKAGE}/metadata/core-properties" '
        'xmlns:d="http://purl.org/dc/elements/1.1/"><d:title>Own title</d:title>'
        "<d:creator>A. Writer</d:creator>"
        "<d:language>de-DE</d:language></c:coreProperties>"
    )
    document = read_docx(docx(paragraph("Ein Text."), **{"docProps/core.xml": core})).document
    assert (document.title, document.authors, document.language) == ("Own title", ("A. Writer",), "de-DE")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "DOCUMENT_EMPTY"),
        (b"no archive", "DOCX_DAMAGED"),
        (docx(paragraph("Text."))[:400], "DOCX_DAMAGED"),
        (docx("<w:p>"), "DOCX_DAMAGED"),
        (docx(""), "NO_READABLE_TEXT"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "NOT_A_DOCX"),
    ],
)
def test_a_bad_file_gives_its_own_error(content: bytes, reason: str) -> None:
    with pytest.raises(LecternError) as caught:
        read_docx(content)
    assert caught.value.reason == reason


@pytest.mark.samples
def test_notes_are_apart_from_the_text(samples: Path) -> None:
    reading = read_sample(samples, "notes")
    assert reading.texts(BlockRole.FOOTNOTE) == ["My note.", "This is an endnote at the end of the document."]
    assert reading.texts(BlockRole.PARAGRAPH) == ["Test footnote. Test endnote."]


@pytest.mark.samples
def test_headings_keep_their_levels(samples: Path) -> None:
    blocks = read_sample(samples, "headers").blocks
    assert [block.heading_level for block in blocks if block.heading_level] == [1, 2, 3, 4, 5, 6]


@pytest.mark.samples
def test_page_headers_and_footers_are_not_read(samples: Path) -> None:
    assert read_sample(samples, "hdrftr").texts() == ["Main document"]


@pytest.mark.samples
def test_tables_are_read_row_by_row(samples: Path) -> None:
    rows = read_sample(samples, "tables").texts(BlockRole.TABLE)
    assert (
        "<br>" not in read_sample(samples, "tables").html.partition("Multiparagraph")[0].rpartition("<td>")[0]
    )
    assert rows[:2] == ["Name\nGame\nFame\nBlame", "Lebron James\nBasketball\nVery High\nLeaving Cleveland"]


@pytest.mark.samples
def test_moved_text_is_read_once(samples: Path) -> None:
    assert read_sample(samples, "track-changes-move").texts() == [
        "Here is some text.",
        "Here is the text to be moved.",
        "Here is some more text.",
    ]


@pytest.mark.samples
def test_a_protected_document_says_so(samples: Path) -> None:
    with pytest.raises(LecternError) as caught:
        read_sample(samples, "protected")
    assert caught.value.reason == "DOCUMENT_ENCRYPTED"


def test_an_archive_with_a_password_says_so() -> None:
    with pytest.raises(LecternError) as caught:
        read_docx(locked(docx(paragraph("x"))))
    assert caught.value.reason == "DOCUMENT_ENCRYPTED"
