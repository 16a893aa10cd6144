"""Draws an SVG, for a cover: where a library shows it, it is a bitmap like any other."""

import io
from typing import Final

import resvg_py
from lxml import etree
from PIL import Image

from compute_worker.documents.vector_pictures import Member, safe_drawing

_WIDTH: Final = 600  # pixels
_LONGEST: Final = 4.0  # times the shorter side: what is longer is no cover, and would cost memory
_QUALITY: Final = 85
_MOST_ELEMENTS: Final = 5_000  # a few seconds of drawing, even where each covers the whole


def picture_of(drawing: bytes, *, member: Member) -> bytes:
    """A JPEG; empty for what is no drawing, or too much of one. Nothing but what member gives is loaded."""
    safe = safe_drawing(drawing, member=member, most_elements=_MOST_ELEMENTS)
    if not safe or not _is_fair(etree.fromstring(safe)):
        return b""
    try:
        packed = resvg_py.svg_to_bytes(svg_string=safe.decode(), width=_WIDTH)
    except ValueError:
        return b""
    return _on_white(bytes(packed))


def _is_fair(root: "etree._Element") -> bool:
    numbers = (root.get("viewBox") or "").replace(",", " ").split()[2:]
    sides = numbers if len(numbers) == 2 else [root.get("width", ""), root.get("height", "")]
    try:
        across, down = (float(side.removesuffix("px")) for side in sides)
    except ValueError:
        return False
    return min(across, down) > 0 and max(across, down) / min(across, down) <= _LONGEST


def _on_white(png: bytes) -> bytes:
    drawn = Image.open(io.BytesIO(png)).convert("RGBA")
    page = Image.new("RGB", drawn.size, "white")
    page.paste(drawn, mask=drawn)
    target = io.BytesIO()
    page.save(target, "JPEG", quality=_QUALITY)
    return target.getvalue()
