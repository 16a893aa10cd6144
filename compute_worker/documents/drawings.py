"""SVG can hold scripts and ask for other files: where a drawing is to be shown, a picture of it is."""

import base64
import io
from collections.abc import Callable
from typing import Final

import resvg_py
from lxml import etree
from PIL import Image

from compute_worker.documents.images import bitmap_extension, read_data_url

_WIDTH: Final = 600  # pixels
_LONGEST: Final = 4.0  # times the shorter side: what is longer is no cover, and would cost memory
_QUALITY: Final = 85
_TYPES: Final = {"png": "png", "jpg": "jpeg", "gif": "gif", "webp": "webp"}


def picture_of(drawing: bytes, *, member: Callable[[str], bytes]) -> bytes:
    """A JPEG; empty for what is no drawing. member: the content of the file that an address in it names,
    empty where there is none. Nothing else is loaded."""
    try:
        root = etree.fromstring(drawing, etree.XMLParser(resolve_entities=False, no_network=True))
    except (etree.XMLSyntaxError, ValueError):
        return b""
    if etree.QName(root).localname != "svg" or not _is_fair(root):
        return b""
    for element in root.iter(etree.Element):
        for name in [name for name in map(str, element.attrib) if etree.QName(name).localname == "href"]:
            _settle(element, name, member)
    try:
        packed = resvg_py.svg_to_bytes(svg_string=etree.tostring(root, encoding="unicode"), width=_WIDTH)
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


def _settle(element: "etree._Element", name: str, member: Callable[[str], bytes]) -> None:
    """Pictures come with the drawing itself; places in it stay; other addresses go."""
    address = str(element.attrib[name])
    if address.startswith("#"):
        return
    content = read_data_url(address) if address[:5].lower() == "data:" else member(address)
    media_type = _TYPES.get(bitmap_extension(content))
    if media_type is None:
        del element.attrib[name]
    else:
        element.attrib[name] = f"data:image/{media_type};base64,{base64.b64encode(content).decode()}"


def _on_white(png: bytes) -> bytes:
    drawn = Image.open(io.BytesIO(png)).convert("RGBA")
    page = Image.new("RGB", drawn.size, "white")
    page.paste(drawn, mask=drawn)
    target = io.BytesIO()
    page.save(target, "JPEG", quality=_QUALITY)
    return target.getvalue()
