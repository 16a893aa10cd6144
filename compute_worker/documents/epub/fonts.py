"""The type that a book brings for its text: the faces of the family that its style sheets give to the body.

Fonts are strangers' programs: they are kept as they are, within bounds, and only a browser that checks them
draws with them, when its reader asks for the book's own type. Obfuscated ones (EPUB 3.3, 4.4; Adobe's way)
are made readable first.
"""

import hashlib
import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from compute_worker.documents.epub.archive import Archive, resolve
from compute_worker.documents.epub.package import ADOBE_FONTS, IDPF_FONTS, Package
from compute_worker.documents.model import BookFont
from shared.errors import LecternError

_MAGIC: Final = {b"\0\1\0\0": "ttf", b"true": "ttf", b"OTTO": "otf", b"wOFF": "woff", b"wOF2": "woff2"}
_MOST_SHEETS: Final = 50
_MOST_SHEET_BYTES: Final = 2 * 1024 * 1024
_MOST_FONT_BYTES: Final = 4 * 1024 * 1024
_MOST_BYTES: Final = 16 * 1024 * 1024  # of all faces
_MOST_FACES: Final = 8  # regular, italic, bold, bold italic, and as many once more
_OF_TEXT: Final = frozenset({"body", "html", "p", "*", ":root"})
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_URL: Final = re.compile(r"url\(\s*(?:\"([^\"]*)\"|'([^']*)'|([^'\")\s]*))\s*\)", re.IGNORECASE)
_WEIGHTS: Final = {"normal": 400, "bold": 700} | {str(weight): weight for weight in range(100, 1000, 100)}


@dataclass(frozen=True)
class _Face:
    family: str
    members: tuple[str, ...]
    weight: int
    is_italic: bool


def read_fonts(
    archive: Archive, package: Package, keep: Callable[[str, bytes], None]
) -> tuple[BookFont, ...]:
    """keep: takes the name and content of each that is kept."""
    faces: list[_Face] = []
    wanted: list[str] = []
    for name, css in _sheets(archive, package):
        for selectors, declarations in _rules(css):
            if "@font-face" in selectors:
                faces += _face(archive, name, declarations)
            elif _OF_TEXT & {selector.strip().lower() for selector in selectors.split(",")}:
                wanted += _families(declarations.get("font-family", ""))
    known = list(dict.fromkeys(face.family for face in faces))
    family = next((name for name in wanted if name in known), known[0] if len(known) == 1 else "")
    return tuple(_kept([face for face in faces if family and face.family == family], archive, package, keep))


def _kept(
    faces: list[_Face], archive: Archive, package: Package, keep: Callable[[str, bytes], None]
) -> Iterator[BookFont]:
    left_bytes = _MOST_BYTES
    kept: set[tuple[int, bool]] = set()
    for face in faces:
        if len(kept) >= _MOST_FACES or (face.weight, face.is_italic) in kept:
            continue
        for member in face.members:
            content = _font(archive, member, package.obfuscated.get(member, ""), package.unique_id)
            extension = _MAGIC.get(content[:4])
            if extension is None or len(content) > left_bytes:
                continue
            left_bytes -= len(content)
            kept.add((face.weight, face.is_italic))
            resource = f"{hashlib.sha256(content).hexdigest()[:16]}.{extension}"
            keep(resource, content)
            yield BookFont(resource, face.weight, face.is_italic)
            break


def _font(archive: Archive, member: str, method: str, unique_id: str) -> bytes:
    """Empty for what is too large or damaged."""
    try:
        content = archive.read(member) if archive.size(member) <= _MOST_FONT_BYTES else b""
    except LecternError:
        return b""
    key, length = _key(method, unique_id)
    if not key:
        return content
    mask = (key * (length // len(key) + 1))[: min(length, len(content))]
    return bytes(one ^ other for one, other in zip(content, mask, strict=False)) + content[len(mask) :]


def _key(method: str, unique_id: str) -> tuple[bytes, int]:
    """And how many bytes at the start of a font it hides."""
    if method == IDPF_FONTS:
        return hashlib.sha1("".join(unique_id.split()).encode(), usedforsecurity=False).digest(), 1040
    if method == ADOBE_FONTS:
        try:
            return uuid.UUID(unique_id.strip().removeprefix("urn:uuid:")).bytes, 1024
        except ValueError:
            return b"", 0
    return b"", 0


def _sheets(archive: Archive, package: Package) -> Iterator[tuple[str, str]]:
    sheets = [item.name for item in package.items.values() if item.media_type == "text/css" and item.name]
    for name in sheets[:_MOST_SHEETS]:
        try:
            if archive.size(name) <= _MOST_SHEET_BYTES:
                yield name, _COMMENT.sub("", archive.read(name).decode(errors="replace"))
        except LecternError:
            continue


def _rules(css: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Of the innermost brackets, so that those in a condition count as if it held."""
    for piece in css.split("}"):
        selectors, bracket, body = piece.rpartition("{")
        if bracket:
            pairs = (declaration.partition(":") for declaration in body.split(";"))
            yield (
                selectors.rpartition("{")[2].lower(),
                {name.strip().lower(): value for name, _, value in pairs},
            )


def _face(archive: Archive, sheet: str, declarations: dict[str, str]) -> list[_Face]:
    families = _families(declarations.get("font-family", ""))
    addresses = ("".join(found) for found in _URL.findall(declarations.get("src", "")))
    members = tuple(filter(None, (archive.find(resolve(sheet, address)[0]) for address in addresses)))
    weight = _WEIGHTS.get(declarations.get("font-weight", "normal").strip().lower(), 400)
    is_italic = declarations.get("font-style", "").strip().lower().startswith(("italic", "oblique"))
    return [_Face(families[0], members, weight, is_italic)] if families and members else []


def _families(value: str) -> list[str]:
    names = (" ".join(name.strip().strip("'\"").split()).lower() for name in value.split(","))
    return [name for name in names if name]
