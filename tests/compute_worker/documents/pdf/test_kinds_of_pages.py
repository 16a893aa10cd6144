"""What pages of real life hold beside plain text, each made on purpose."""

import io
from collections.abc import Callable

import pytest
from books.reading import Reading, read
from books.tagged_pdfs import Line, pdf_file, tagged_pdf
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from compute_worker.documents.model import ReadingDocument, TextDirection
from compute_worker.documents.pdf.document import parse
from shared.errors import LecternError

SENTENCES = ("The letter was never sent.", "It lay in the drawer for years.")


def drawn(draw: Callable[[Canvas], object]) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(500, 400), invariant=True)
    draw(canvas)
    canvas.save()
    return buffer.getvalue()


def picture_of_a_page(canvas: Canvas) -> None:
    canvas.setFillGray(0.8)
    canvas.rect(20, 20, 460, 360, fill=1)
    canvas.showPage()


def text_page(canvas: Canvas) -> None:
    for number, sentence in enumerate(SENTENCES):
        canvas.drawString(50, 350 - 40 * number, sentence)
    canvas.showPage()


def reason_of(content: bytes) -> str:
    with pytest.raises(LecternError) as caught:
        read(parse, content)
    return caught.value.reason


def silent(content: bytes) -> ReadingDocument:
    """What is read of pages without a word."""
    reading = read(parse, content)
    assert (reading.sections, reading.document.sentence_count) == ((), 0)
    assert [warning.code for warning in reading.document.warnings] == ["SCANNED_DOCUMENT"]
    return reading.document


def test_scanned_pages_among_others_are_counted() -> None:
    reading = read(parse, drawn(lambda canvas: (picture_of_a_page(canvas), text_page(canvas))))
    assert reading.texts() == list(SENTENCES)
    warning = reading.document.warnings[0]
    assert warning.code == "SCANNED_PAGES"
    assert "1 of 2 pages" in warning.message


def test_a_document_of_scanned_pages_only_opens_and_says_so() -> None:
    document = silent(drawn(lambda canvas: (picture_of_a_page(canvas), picture_of_a_page(canvas))))
    assert [(page.width, page.height) for page in document.pages] == [(500, 400)] * 2
    assert document.cover
    assert "text recognition (OCR)" in document.warnings[0].message


def test_empty_pages_alone_are_nothing_to_look_at() -> None:
    assert reason_of(drawn(lambda canvas: canvas.showPage())) == "NO_READABLE_TEXT"


def test_annotations_are_no_text_of_the_page() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.freeTextAnnotation("A note in a box", "0 g", Rect=(300, 300, 400, 340))
        canvas.textAnnotation("A comment on it", Rect=(300, 200, 400, 240))
        canvas.highlightAnnotation("highlighted", Rect=(50, 340, 200, 360))
        canvas.linkURL("https://example.org/", (50, 340, 200, 360))
        text_page(canvas)

    assert read(parse, drawn(draw)).texts() == list(SENTENCES)


def with_font(font: str, shown: str, *others: str) -> bytes:
    content = f"BT /F 12 Tf 72 700 Td ({shown}) Tj ET"
    return pdf_file(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            (
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
                "/Resources << /Font << /F 5 0 R >> >> >>"
            ),
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
            font,
            *others,
        ]
    )


def test_ligatures_are_read_as_letters() -> None:
    font = (
        "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman "
        "/Encoding << /Type /Encoding /Differences [1 /fi 2 /fl] >> >>"
    )
    assert read(parse, with_font(font, r"\001nd the \002ower")).texts() == ["find the flower"]


def test_glyphs_without_a_unicode_map_are_not_read_as_something_else() -> None:
    font = (
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 750 750] /FontMatrix [0.001 0 0 0.001 0 0] "
        "/FirstChar 97 /LastChar 98 /Widths [1000 1000] /CharProcs << /g1 6 0 R /g2 6 0 R >> "
        "/Encoding << /Type /Encoding /Differences [97 /g1 /g2] >> >>"
    )
    square = "1000 0 0 0 750 750 d1 0 0 750 750 re f"
    glyph = f"<< /Length {len(square)} >>\nstream\n{square}\nendstream"
    silent(with_font(font, "abba", glyph))


def test_a_soft_hyphen_at_the_end_of_a_line_is_gone() -> None:
    lines = [Line("The ship carried an op\xad", 72, 700), Line("tional crew over the sea.", 72, 688)]
    assert read(parse, tagged_pdf(lines, None)).texts() == ["The ship carried an optional crew over the sea."]


def test_chinese_lines_are_joined_without_spaces() -> None:
    def draw(canvas: Canvas) -> None:
        pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
        canvas.setFont("STSong-Light", 12)
        for number, line in enumerate(("山路元无雨空翠湿人衣行到水穷处", "坐看云起时偶然值林叟谈笑无还期")):
            canvas.drawString(50, 350 - 16 * number, line)

    reading = read(parse, drawn(draw))
    assert reading.texts() == ["山路元无雨空翠湿人衣行到水穷处坐看云起时偶然值林叟谈笑无还期"]


def hebrew() -> Reading:
    """Drawn as it looks: the first letter is the rightmost."""
    letters = "שלום עולם טוב"
    names = " ".join("space" if letter == " " else f"uni{ord(letter):04X}" for letter in reversed(letters))
    encoding = " ".join(f"/{name}" for name in names.split())
    font = (
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica "
        f"/Encoding << /Type /Encoding /Differences [1 {encoding}] >> >>"
    )
    return read(parse, with_font(font, "".join(f"\\{code:03o}" for code in range(1, len(letters) + 1))))


def test_hebrew_is_read_from_right_to_left() -> None:
    reading = hebrew()
    assert reading.texts() == ["שלום עולם טוב"]
    assert reading.sections[0].direction is TextDirection.RTL


def _wrong_offsets(content: bytes) -> bytes:
    place = content.rindex(b"startxref") + len(b"startxref\n")
    return content[:place] + b"7" + content[place:]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "wrong offsets": _wrong_offsets,
    "no table of objects": lambda content: (
        content[: content.rindex(b"xref\n0")] + content[content.rindex(b"trailer") :]
    ),
    "a byte too few": lambda content: content[:30] + content[31:],
    "bytes before it": lambda content: b"\r\n" * 20 + content,
    "bytes behind it": lambda content: content + bytes(3000),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damage_that_can_be_repaired_is(damage: Callable[[bytes], bytes]) -> None:
    whole = tagged_pdf([Line(SENTENCES[0], 72, 700), Line(SENTENCES[1], 72, 640)], None)
    assert read(parse, damage(whole)).texts() == list(SENTENCES)
