"""The images of a document's pages: in which sizes they are made, and where they lie."""

from dataclasses import dataclass
from typing import Final

# Raise it when the same page would be drawn differently than before.
DRAWING_VERSION: Final = "1"
# Pixels. Browsers take the next one that is at least as wide as what they show.
PAGE_WIDTHS: Final = (320, 480, 640, 800, 1000, 1200, 1600, 2000, 2400, 3200, 4000)
# The images of very long pages are narrower, so that they have no more than so many pixels.
MOST_PIXELS: Final = 24_000_000
# What needs more is drawn in squares of a picture that would be so wide; those at its right and lower edge
# are smaller. The widest is A4 at 400% where the screen has ten pixels for one.
TILED_WIDTHS: Final = (*PAGE_WIDTHS, 5600, 8000, 11_200, 16_000, 22_400, 32_000)
TILE_PIXELS: Final = 1024
PAGE_IMAGE_TYPE: Final = "image/jpeg"


@dataclass(frozen=True)
class Tile:
    """From 0, from the left and from the top."""

    column: int
    row: int


@dataclass(frozen=True)
class PageImage:
    """A page in a width, or one square of it."""

    page: int
    width: int
    tile: Tile | None = None

    @property
    def is_offered(self) -> bool:
        return self.width in (PAGE_WIDTHS if self.tile is None else TILED_WIDTHS)


def page_image_key(reading_ref: str, image: PageImage) -> str:
    """Beside the reading document: who may see the one may see the other, and both go together."""
    tile = "" if image.tile is None else f"-{image.tile.column}-{image.tile.row}"
    return f"{reading_ref}pages/{DRAWING_VERSION}/{image.page}-{image.width}{tile}.jpg"
