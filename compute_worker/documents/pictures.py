"""The pictures of a page as a reader meets them: what to show, and what to say in their place."""

import re
from collections.abc import Callable
from dataclasses import replace

from compute_worker.documents.markup import Element, tag_of
from compute_worker.documents.runs import Image

# What programs write where a description should be.
_NO_DESCRIPTION = re.compile(
    r".*\.(jpe?g|png|gif|svg|webp|avif|bmp)|(cover|title) ?(page|image)?|image|img|picture|photo|logo|\W*",
    re.IGNORECASE,
)
_SOURCES = ("src", "href", "{http://www.w3.org/1999/xlink}href", "xlink:href")


def read_image(element: Element, resource_of: Callable[[str], str]) -> Image:
    """resource_of: from an address to the name of the stored picture, empty where there is none to show."""
    source = next((str(element.attrib[name]) for name in _SOURCES if name in element.attrib), "")
    alt = " ".join((element.get("alt") or "").split())
    is_decoration = element.get("role") in {"presentation", "none"} or _NO_DESCRIPTION.fullmatch(alt)
    return Image(resource_of(source), "" if is_decoration else alt)


def read_drawing(
    svg: Element, resource_of: Callable[[str], str], drawing_of: Callable[[Element], str]
) -> list[Image]:
    """What is drawn, as a picture; where there are only bitmaps in it, these; else its description.

    drawing_of: to the name of the stored drawing, empty where nothing is drawn."""
    titles = [element for element in svg.iter() if tag_of(element) in {"title", "desc"}]
    alt = svg.get("aria-label") or (
        " ".join("".join(map(str, titles[0].itertext())).split()) if titles else ""
    )
    drawn = drawing_of(svg)
    if drawn:
        return [Image(drawn, alt)]
    bitmaps = [read_image(element, resource_of) for element in svg.iter() if tag_of(element) == "image"]
    shown = [replace(image, alt=image.alt or alt) for image in bitmaps if image.resource]
    return shown or ([Image("", alt)] if alt else [])
