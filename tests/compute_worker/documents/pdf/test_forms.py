import io

from books.reading import read
from reportlab.pdfgen.canvas import Canvas

from compute_worker.documents.pdf.document import parse


def form() -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(500, 400))
    canvas.drawString(50, 350, "Application for a boat licence, to be handed in by the owner.")
    canvas.drawString(50, 300, "Name of the boat")
    canvas.acroForm.textfield(name="boat", value="Morning Star", x=180, y=292, width=200, height=24)
    canvas.drawString(50, 250, "Harbour")
    canvas.acroForm.choice(
        name="harbour", value="Lisbon", options=["Lisbon", "Porto"], x=180, y=242, width=200, height=24
    )
    canvas.drawString(50, 200, "Insured")
    canvas.acroForm.checkbox(name="insured", checked=True, x=180, y=195)
    canvas.drawString(50, 150, "Secret word")
    canvas.acroForm.textfield(
        name="secret", value="swordfish", fieldFlags="password", x=180, y=142, width=200, height=24
    )
    canvas.drawString(50, 100, "Remarks")
    canvas.acroForm.textfield(name="remarks", value="", x=180, y=92, width=200, height=24)
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def test_what_is_filled_into_a_form_is_read_where_it_stands() -> None:
    text = " ".join(" ".join(read(parse, form()).texts()).split())
    assert "Name of the boat Morning Star" in text
    assert "Harbour Lisbon" in text
    assert "Porto" not in text
    assert "swordfish" not in text
    assert text.index("Harbour") < text.index("Lisbon") < text.index("Insured")


def test_a_comment_on_a_page_is_no_text_of_it() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(500, 400))
    canvas.drawString(50, 350, "The text of the page is this sentence and no other.")
    canvas.textAnnotation("A comment on it", Rect=(300, 300, 400, 340))
    canvas.acroForm.textfield(name="field", value="filled in", x=50, y=200, width=200, height=24)
    canvas.save()
    text = " ".join(read(parse, buffer.getvalue()).texts())
    assert "filled in" in text
    assert "comment" not in text
