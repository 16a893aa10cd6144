"""Drawings in books and pages: shown as pictures, whatever they bring along."""

import base64
import time

import pytest
from books.epubs import PNG, epub
from books.reading import Reading, read
from lxml import etree

from compute_worker.documents.epub.book import parse
from compute_worker.documents.html_file import parse as parse_html
from compute_worker.documents.model import BlockRole
from compute_worker.documents.vector_pictures import safe_drawing

TEXT = "More words than would stand beside a picture that is the whole first page."
OPEN = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 40 20">'
)
LINE = '<path d="M0 0L40 20" stroke="red"/>'
HOSTILE = f"""<?xml version="1.0"?><?xml-stylesheet href="http://evil.test/s.css"?>
<!DOCTYPE svg [<!ENTITY file SYSTEM "file:///etc/passwd"><!ENTITY ha "hahahaha">]>
{OPEN.replace(">", ' onload="alert(1)">')}<script>alert(2)</script><script href="http://evil.test/x.js"/>
<foreignObject width="40" height="20"><body xmlns="http://www.w3.org/1999/xhtml"><iframe src="http://evil.test/"/>
<script>alert(3)</script></body></foreignObject>
<image xlink:href="http://evil.test/a.png" width="9" height="9"/><image href="file:///etc/passwd"/>
<image href="//evil.test/b.png"/>
<image href="data:image/svg+xml;base64,{base64.b64encode(OPEN.encode()).decode()}"/>
<use href="http://evil.test/d.svg#x"/><use xlink:href="data:image/svg+xml,x#x"/>
<a xlink:href="javascript:alert(4)"><text x="1" y="9" onclick="alert(5)">Kept words &file;&ha;</text></a>
<rect style="fill: url(http://evil.test/f.svg#g)" width="9" height="9"/><rect fill="url('https://evil.test/f#g')"/>
<rect width="3" height="3" style="background:u\\72l(http://evil.test/)"/>
<style>@import "http://evil.test/i.css"; path {{ fill: blue }}</style>
<style>path {{ stroke-width: 2 }}</style>
<animate attributeName="href" to="javascript:alert(6)"/><set attributeName="onload" to="alert(7)"/>
<filter id="f"><feImage href="http://evil.test/c.png"/></filter><handler>alert(8)</handler>{LINE}</svg>"""


def drawn(svg: str, **members: bytes) -> str:
    return safe_drawing(svg.encode(), member=lambda name: members.get(name.partition(".")[0], b"")).decode()


def book_with(body: str, **others: str | bytes) -> Reading:
    files = {f"OPS/{name.replace('_', '.')}": content for name, content in others.items()}
    return read(parse, epub({"one.xhtml": f"{body}<p>{TEXT}</p>"}, others=files))


def test_a_drawing_in_a_file_and_one_in_the_page_are_pictures_with_their_descriptions() -> None:
    inline = f"{OPEN}<title>A slope</title>{LINE}<text>steep</text></svg>"
    book = book_with(f'{inline}<img src="d.svg" alt="A hill"/>', d_svg=f"{OPEN}{LINE}{LINE}</svg>")
    assert sorted(name.rpartition(".")[2] for name in book.resources) == ["svg", "svg"]
    assert all(book.html.count(f'src="resources/{name}"') == 1 for name in book.resources)
    assert book.texts(BlockRole.IMAGE_ALT) == ["A slope", "A hill"]
    assert any(b">steep<" in content for content in book.resources.values())
    for content in book.resources.values():
        root = etree.fromstring(content)
        assert (root.get("width"), root.get("height")) == ("40", "20"), "as large as it says it is drawn"


def test_nothing_of_a_hostile_drawing_but_what_is_seen_is_left() -> None:
    safe = drawn(HOSTILE)
    root = etree.fromstring(safe)
    for forbidden in (
        "evil",
        "alert",
        "script",
        "etc/passwd",
        "hahaha",
        "import",
        "DOCTYPE",
        "xml-stylesheet",
        "data:",
    ):
        assert forbidden not in safe, forbidden
    tags = {etree.QName(element).localname for element in root.iter()}
    assert tags == {"svg", "image", "use", "text", "rect", "style", "path"}
    assert not any(name.lower().startswith("on") or "href" in name for e in root.iter() for name in e.attrib)
    assert "Kept words" in safe
    assert "stroke-width: 2" in safe
    book = book_with(
        f'<img src="d.svg" alt="Bad"/>{HOSTILE[HOSTILE.index("<svg") :].replace("&file;&ha;", "")}',
        d_svg=HOSTILE,
    )
    (content,) = book.resources.values()  # the same in a file and in the page
    assert b"evil" not in content
    assert b"alert" not in content
    assert "evil" not in book.html


def test_bitmaps_come_with_the_drawing_and_nothing_else_does() -> None:
    pictures = '<image href="a.png" width="9" height="9"/><image href="b.svg" width="9" height="9"/>'
    safe = drawn(f"{OPEN}{LINE}{pictures}</svg>", a=PNG, b=HOSTILE.encode())
    assert safe.count("href=") == 1
    assert base64.b64encode(PNG).decode() in safe


def test_a_drawing_of_bitmaps_alone_is_the_bitmap() -> None:
    book = book_with(f'{OPEN}<title>The map</title><image xlink:href="a.png"/></svg>', a_png=PNG)
    assert list(book.resources.values()) == [PNG]
    assert book.texts(BlockRole.IMAGE_ALT) == ["The map"]


USES = "".join(
    f'<g id="l{n}">{f"<use href=chr#l{n - 1}chr/>" * 10}</g>'.replace("chr", '"') for n in range(1, 9)
)
FILLS = "".join(
    f'<pattern id="l{n}">{f"<rect fill=chrurl(#l{n - 1})chr/>" * 10}</pattern>'.replace("chr", '"')
    for n in range(1, 9)
)
ENTITIES = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))


@pytest.mark.parametrize(
    "svg",
    [
        f'{OPEN}<g id="l0">{LINE}</g>{USES}<use href="#l8"/></svg>',
        f'{OPEN}<g id="l0">{LINE}</g>{FILLS}<rect width="9" height="9" fill="url(#l8)"/></svg>',
        f'{OPEN}<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>{LINE}</svg>',
        f"{OPEN}{LINE * 60_000}</svg>",
        OPEN + "<g>" * 5_000 + LINE + "</g>" * 5_000 + "</svg>",
        OPEN + LINE + "<path/>" * 1_300_000 + "</svg>",
        f"{OPEN}<rect width='9'",
        f"{OPEN}</svg>",
        "<html/>",
        "",
    ],
    ids=["uses", "fills", "circle", "many", "deep", "large", "cut off", "nothing", "no drawing", "empty"],
)
def test_what_would_unfold_without_end_or_shows_nothing_is_left_out(svg: str) -> None:
    began = time.process_time()
    assert len(drawn(svg)) == 0
    assert time.process_time() - began < 30
    assert book_with('<img src="d.svg" alt="Words"/>', d_svg=svg).texts() == ["Words", TEXT]


def test_entities_of_entities_are_not_unfolded() -> None:
    safe = drawn(f"<!DOCTYPE svg [<!ENTITY l0 'ha'>{ENTITIES}]>{OPEN}<text>&l8;</text>{LINE}</svg>")
    assert len(safe) < 500


def test_what_is_used_fairly_often_stays() -> None:
    safe = drawn(
        f'{OPEN}<defs><g id="tree">{LINE}</g></defs>{"<use href=chr#treechr/>" * 100}</svg>'.replace(
            "chr", '"'
        )
    )
    assert safe.count('href="#tree"') == 100


def test_a_page_of_html_keeps_the_names_of_svg() -> None:
    gradient = '<lineargradient id="g" gradientunits="userSpaceOnUse"/>'
    body = f'<svg viewbox="0 0 8 8">{gradient}<rect fill="url(#g)"/></svg>'
    page = read(parse_html, f"<html><body><h1>T</h1>{body}<p>Text.</p></body></html>".encode())
    (content,) = page.resources.values()
    assert b"viewBox=" in content
    assert b"<linearGradient" in content
    assert b"gradientUnits=" in content
    assert page.texts() == ["T", "Text."]
