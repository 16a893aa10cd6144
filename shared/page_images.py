"""The images of a document's pages: in which widths they are made, and where they lie."""

from typing import Final

# Raise it when the same page would be drawn differently than before.
DRAWING_VERSION: Final = "1"
# Pixels. Browsers take the next one that is at least as wide as what they show.
PAGE_WIDTHS: Final = (320, 480, 640, 800, 1000, 1200, 1600, 2000, 2400, 3200, 4000)
PAGE_IMAGE_TYPE: Final = "image/jpeg"


def page_image_key(reading_ref: str, page: int, width: int) -> str:
    """Beside the reading document: who may see the one may see the other, and both go together."""
    return f"{reading_ref}pages/{DRAWING_VERSION}/{page}-{width}.jpg"
