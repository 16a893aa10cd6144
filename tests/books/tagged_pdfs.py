"""PDFs with a structure tree, made by hand, so that it can say what it likes."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Element:
    """kids: elements, and numbers of the lines that they hold."""

    kind: str
    kids: Sequence["Element | int"] = field(default_factory=tuple)


@dataclass(frozen=True)
class Line:
    text: str
    x: float
    y: float
    size: float = 10.0


def tagged_pdf(lines: Sequence[Line], structure: Element | None) -> bytes:
    """One page. Lines that no element holds are outside of the structure; without one nothing is tagged."""
    held = set(_numbers(structure)) if structure is not None else set()
    content = "\n".join(_drawn(number, line, is_held=number in held) for number, line in enumerate(lines))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >>"
        + (" /StructTreeRoot 6 0 R >>" if structure is not None else " >>"),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /StructParents 0 "
            "/Resources << /Font << /F 5 0 R >> >> >>"
        ),
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    if structure is not None:
        objects += _tree(structure, first=6)
    return pdf_file(objects)


def _numbers(element: Element) -> list[int]:
    return [number for kid in element.kids for number in ([kid] if isinstance(kid, int) else _numbers(kid))]


def _drawn(number: int, line: Line, *, is_held: bool) -> str:
    text = line.text.replace("(", r"\(").replace(")", r"\)")
    shown = f"BT /F {line.size} Tf {line.x} {line.y} Td ({text}) Tj ET"
    return f"/P << /MCID {number} >> BDC {shown} EMC" if is_held else f"/Artifact BMC {shown} EMC"


def _tree(structure: Element, *, first: int) -> list[str]:
    """The root, the parent tree, and an object for each element."""
    bodies: list[str] = ["", ""]
    parents: dict[int, int] = {}

    def add(element: Element, parent: int) -> int:
        number = first + len(bodies)
        place = len(bodies)
        bodies.append("")
        kids = []
        for kid in element.kids:
            if isinstance(kid, int):
                parents[kid] = number
                kids.append(str(kid))
            else:
                kids.append(f"{add(kid, number)} 0 R")
        bodies[place] = (
            f"<< /Type /StructElem /S /{element.kind} /P {parent} 0 R /Pg 3 0 R /K [{' '.join(kids)}] >>"
        )
        return number

    top = add(structure, first)
    known = " ".join(
        f"{parents[number]} 0 R" if number in parents else "null" for number in range(max(parents) + 1)
    )
    bodies[0] = f"<< /Type /StructTreeRoot /K [{top} 0 R] /ParentTree {first + 1} 0 R /ParentTreeNextKey 1 >>"
    bodies[1] = f"<< /Nums [0 [{known}]] >>"
    return bodies


def pdf_file(objects: Sequence[str]) -> bytes:
    """The first object is the catalog."""
    body, places = "%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    start = len(body)
    body += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    body += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return body.encode("latin-1")
