"""PDFs that open only with a password, or without one although they are encrypted."""

from io import BytesIO

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

TEXT = "The letter was never sent. It lay in the drawer."


def locked_pdf(user_password: str, *, owner_password: str = "owner", strength: int = 128) -> bytes:
    """strength: 40 or 128 bits of RC4. An empty user password lets everybody in."""
    body = BytesIO()
    encryption = StandardEncryption(user_password, owner_password, strength=strength)
    canvas = Canvas(body, encrypt=encryption, invariant=True)
    canvas.drawString(72, 700, TEXT)
    canvas.showPage()
    canvas.save()
    return body.getvalue()
