"""Keeps the pictures of a document: bitmaps, known by their content and named by it, and safe drawings."""

import base64
import binascii
import hashlib
from collections.abc import Callable
from typing import Final

_MOST_BYTES: Final = 32 * 1024 * 1024


def bitmap_extension(content: bytes) -> str:
    """Empty for everything that is no bitmap, whatever it calls itself; SVG is none."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if content.startswith(b"\xff\xd8\xff"):
        return "jpg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "webp"
    if content[4:12] in {b"ftypavif", b"ftypavis"}:
        return "avif"
    return ""


def read_data_url(url: str) -> bytes:
    """RFC 2397, in base64; empty for every other address."""
    head, comma, body = url.partition(",")
    if not comma or head[:5].lower() != "data:" or not head.lower().endswith(";base64"):
        return b""
    try:
        return base64.b64decode(body)
    except (binascii.Error, ValueError):
        return b""


class ImageShelf:
    def __init__(self, *, write: Callable[[str, bytes], None]) -> None:
        self._write = write
        self._kept: set[str] = set()

    def keep(self, content: bytes) -> str:
        """The resource's name, empty for what cannot be shown."""
        extension = bitmap_extension(content)
        if not extension or len(content) > _MOST_BYTES:
            return ""
        return self._keep(content, extension)

    def keep_drawing(self, svg: bytes) -> str:
        """The same for what vector_pictures made of an SVG; empty for nothing."""
        return self._keep(svg, "svg") if svg else ""

    def _keep(self, content: bytes, extension: str) -> str:
        name = f"{hashlib.sha256(content).hexdigest()[:16]}.{extension}"
        if name not in self._kept:
            self._kept.add(name)
            self._write(name, content)
        return name
