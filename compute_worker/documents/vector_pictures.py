"""Drawings (SVG) that a page shows, rebuilt from what a picture needs: shapes, text, colours and bitmaps.

A browser shows them as pictures, in which nothing runs and nothing is loaded. Nothing here relies on that:
scripts, event handlers, foreign content, animation, filters and addresses do not get in, and how much a
drawing unfolds into is bounded.
"""

import base64
import re
from collections.abc import Callable
from typing import Final, TypeAlias

from lxml import etree

from compute_worker.documents.images import ImageShelf, bitmap_extension, read_data_url
from compute_worker.documents.markup import Element, tag_of

Member: TypeAlias = Callable[[str], bytes]

_SVG: Final = "http://www.w3.org/2000/svg"
_XLINK: Final = "http://www.w3.org/1999/xlink"
_SPACE: Final = "{http://www.w3.org/XML/1998/namespace}space"
_TAG_NAMES: Final = (
    "svg g defs symbol use path rect circle ellipse line polyline polygon text tspan textPath title desc "
    "linearGradient radialGradient stop clipPath mask pattern marker image style switch"
)
_TAGS: Final = {name.lower(): name for name in _TAG_NAMES.split()}
_DRAWN: Final = frozenset({"path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "use"})
_SEEN_THROUGH: Final = frozenset({"a"})
# HTML's parser writes names small; these are not.
_ATTRIBUTE_NAMES: Final = (
    "viewBox preserveAspectRatio gradientUnits gradientTransform patternUnits patternContentUnits "
    "patternTransform clipPathUnits maskUnits maskContentUnits markerWidth markerHeight markerUnits refX "
    "refY spreadMethod startOffset textLength lengthAdjust pathLength"
)
_ATTRIBUTES: Final = {name.lower(): name for name in _ATTRIBUTE_NAMES.split()}
_NAME: Final = re.compile(r"[a-z][a-zA-Z0-9-]{0,40}")
_ELSEWHERE: Final = re.compile(
    r"url\(\s*['\"]?\s*[^#\s'\"]|@import|\\|javascript:|expression\(", re.IGNORECASE
)
# What is drawn again for each shape of a class could not be counted.
_BY_CLASS: Final = re.compile(r"(mask|marker[a-z-]*|clip-path)\s*:\s*url", re.IGNORECASE)
_REFERENCE: Final = re.compile(r"^\s*#(.+)|url\(\s*['\"]?\s*#([^)'\"]+)")
_LENGTH: Final = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)(?:px)?\s*")
_TYPES: Final = {"png": "png", "jpg": "jpeg", "gif": "gif", "webp": "webp"}
_MOST_BYTES: Final = 8 * 1024 * 1024
_MOST_ELEMENTS: Final = 50_000  # with everything that is used again and again
_MOST_NESTING: Final = 200
_MOST_USES: Final = 20  # of what uses what uses…


def safe_drawing(content: bytes, *, member: Member, most_elements: int = _MOST_ELEMENTS) -> bytes:
    """An SVG file that can do nothing but be seen; empty for what is none, or shows nothing.

    member: the content of the file that an address in it names, empty where there is none. Nothing else
    is loaded."""
    if len(content) > _MOST_BYTES:
        return b""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        return b""
    return _made(root, member, most_elements)


def safe_picture(svg: Element, *, member: Member) -> bytes:
    """The same for a drawing that stands in a page; empty where it only frames bitmaps."""
    is_drawn = any(tag_of(element) in _DRAWN for element in svg.iter())
    return _made(svg, member, _MOST_ELEMENTS) if is_drawn else b""


def _made(svg: Element, member: Member, most_elements: int) -> bytes:
    picture = _rebuilt(svg, None, member, 0) if tag_of(svg) == "svg" else None
    if picture is None or not any(_is_seen(element) for element in picture.iter()):
        return b""
    if not _unfolds_into(picture, most_elements):
        return b""
    _size(picture)
    made = etree.tostring(picture, encoding="utf-8")
    return made if len(made) <= _MOST_BYTES else b""


def _is_seen(element: Element) -> bool:
    tag = tag_of(element)
    return tag in _DRAWN or (tag == "image" and "href" in element.attrib)


def _rebuilt(source: Element, parent: Element | None, member: Member, depth: int) -> Element | None:
    tag = _TAGS.get(tag_of(source), "")
    if not tag or depth > _MOST_NESTING:
        return None
    if parent is None:
        made = etree.fromstring(f'<svg xmlns="{_SVG}"/>')
    else:
        made = etree.SubElement(parent, f"{{{_SVG}}}{tag}")
    for key, value in source.attrib.items():
        _copy_attribute(made, str(key), str(value), member)
    if tag == "style":
        css = "".join(map(str, source.itertext()))
        made.text = "" if _ELSEWHERE.search(css) or _BY_CLASS.search(css) else css
        return made
    made.text = source.text
    _add_children(source, made, member, depth)
    return made


def _add_children(source: Element, made: Element, member: Member, depth: int) -> None:
    for child in source:
        if tag_of(child) in _SEEN_THROUGH and depth < _MOST_NESTING:
            _append_text(made, child.text)
            _add_children(child, made, member, depth + 1)
        else:
            _rebuilt(child, made, member, depth + 1)
        _append_text(made, child.tail)


def _append_text(made: Element, text: str | None) -> None:
    if not text:
        return
    if len(made):
        made[-1].tail = (made[-1].tail or "") + text
    else:
        made.text = (made.text or "") + text


def _copy_attribute(made: Element, key: str, value: str, member: Member) -> None:
    space, _, local = key.rpartition("}")
    local = local.rpartition(":")[2]
    if local == "href" and space in {"", f"{{{_XLINK}"}:
        _settle(made, value.strip(), member)
    elif key == _SPACE:
        made.set(key, value)
    elif not space and ":" not in key:
        name = _ATTRIBUTES.get(local.lower(), local)
        is_handler = local.lower().startswith("on")
        if _NAME.fullmatch(name) and not is_handler and not _ELSEWHERE.search(value):
            made.set(name, value)


def _settle(made: Element, address: str, member: Member) -> None:
    """Places in the drawing stay; bitmaps come with it; other addresses go."""
    if address.startswith("#"):
        made.set("href", address)
    elif made.tag == f"{{{_SVG}}}image":
        content = read_data_url(address) if address[:5].lower() == "data:" else member(address)
        media_type = _TYPES.get(bitmap_extension(content))
        if media_type is not None:
            made.set("href", f"data:image/{media_type};base64,{base64.b64encode(content).decode()}")


def _unfolds_into(picture: Element, most: int) -> bool:
    """At most so many elements, where what is used again counts again; what uses itself never ends."""
    if sum(1 for _ in picture.iter()) > most:
        return False
    places = {element.get("id", ""): element for element in picture.iter()}
    counts: dict[str, int] = {}

    def count(name: str, depth: int) -> int:
        if name not in places:
            return 0
        if depth > _MOST_USES:
            return most + 1
        if name not in counts:
            counts[name] = drawn(places[name], depth)
        return counts[name]

    def drawn(root: Element, depth: int) -> int:
        total = 0
        for element in root.iter():
            total += 1 + sum(count(name, depth + 1) for name in _references(element))
            if total > most:
                break
        return total

    return drawn(picture, 0) <= most


def _references(element: Element) -> list[str]:
    return [
        name
        for value in element.attrib.values()
        for pair in _REFERENCE.findall(str(value))
        for name in pair
        if name
    ]


def _size(picture: Element) -> None:
    """Its own, where it says none that a page could go by."""
    box = (picture.get("viewBox") or "").replace(",", " ").split()[2:]
    sides = [_LENGTH.fullmatch(side) for side in box]
    if len(sides) != 2 or not all(sides):
        return
    for name, side in zip(("width", "height"), box, strict=True):
        if not _LENGTH.fullmatch(picture.get(name, "")):
            picture.set(name, side)


def keep_picture(shelf: ImageShelf, content: bytes, *, member: Member) -> str:
    """The resource's name of a bitmap or a drawing, empty for what is neither."""
    kept = shelf.keep(content)
    return kept or (shelf.keep_drawing(safe_drawing(content, member=member)) if b"<svg" in content else "")
