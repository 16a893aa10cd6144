"""Small PDFs, as people have them."""

from pathlib import Path

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas


def write_pdf(path: Path, *lines: str, password: str = "") -> Path:
    """A page of text, which opens only with the password if there is one."""
    lock = StandardEncryption(password) if password else None
    canvas = Canvas(str(path), pagesize=(600, 800), encrypt=lock)
    for number, line in enumerate(lines):
        canvas.drawString(72, 700 - 24 * number, line)
    canvas.showPage()
    canvas.save()
    return path
