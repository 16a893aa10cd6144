"""The words of a file in the order in which the file itself holds them, found without any of our parsers; and
how well a reading keeps that order."""

import posixpath
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pypdfium2
from lxml import etree, html

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OPF = "{http://www.idpf.org/2007/opf}"
_UNSEEN = "//script|//style|//noscript|//head|//rt|//rp"
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")  # CJK by character
_RUN = 5  # words that stand together only once in a text mark a place in it
_ENCODINGS = {
    "enc-KOI8-R-ude_1.txt": "koi8-r",
    "enc-UTF-16LE-nobom-utf16le.txt": "utf-16-le",
    "sjis-no-declaration.html": "cp932",
}


@dataclass(frozen=True)
class Kept:
    """found: share of the file's places that are in the reading; turns: where the reading goes back to what
    stands before in the file."""

    found: float
    turns: int


def kept_order(path: Path, reading: str) -> Kept:
    return order_of(_SOURCES[path.suffix](path), reading)


def order_of(source: str, reading: str) -> Kept:
    places, read = _places(_words(source)), _places(_words(reading))
    order = [read[run] for run in places if run in read]
    turns = sum(1 for one, following in pairwise(order) if following < one)
    return Kept(len(order) / max(1, len(places)), turns)


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).lower().replace("\u00ad", ""))


def _places(words: list[str]) -> dict[tuple[str, ...], int]:
    """In their order."""
    runs = list(zip(*(words[first:] for first in range(_RUN)), strict=False))
    counts = Counter(runs)
    return {run: place for place, run in enumerate(runs) if counts[run] == 1}


def _of_html(content: bytes, encoding: str) -> str:
    root = html.document_fromstring(content, parser=html.HTMLParser(encoding=encoding))
    for element in root.xpath(_UNSEEN):
        element.drop_tree()
    return " ".join(root.itertext())


def _of_epub(path: Path) -> str:
    with zipfile.ZipFile(path) as book:
        package = next(name for name in book.namelist() if name.endswith(".opf"))
        root = etree.fromstring(book.read(package))
        files = {item.get("id"): item.get("href") for item in root.iter(f"{_OPF}item")}
        spine = [item for item in root.iter(f"{_OPF}itemref") if item.get("linear") != "no"]
        names = [
            posixpath.normpath(posixpath.join(posixpath.dirname(package), files[item.get("idref")]))
            for item in spine
        ]
        held = set(book.namelist())
        return "\n".join(_of_html(book.read(name), "utf-8") for name in names if name in held)


def _of_docx(path: Path) -> str:
    with zipfile.ZipFile(path) as document:
        root = etree.fromstring(document.read("word/document.xml"))
    gone = {f"{_W}del", f"{_W}moveFrom"}
    return "".join(
        "\n" if element.tag == f"{_W}p" else element.text or ""
        for element in root.iter(f"{_W}p", f"{_W}t")
        if not any(outer.tag in gone for outer in element.iterancestors())
    )


def _of_pdf(path: Path) -> str:
    """As its pages are drawn: programs that set text draw it as it is read, but for notes and figures."""
    document = pypdfium2.PdfDocument(path)
    text = "\n".join(page.get_textpage().get_text_range() for page in document)
    document.close()
    return re.sub("[\ufffe\x02]", "", text)


def _of_text(path: Path) -> str:
    return path.read_bytes().decode(_ENCODINGS.get(path.name, "utf-8-sig"))


_SOURCES: dict[str, Callable[[Path], str]] = {
    ".docx": _of_docx,
    ".epub": _of_epub,
    ".html": lambda path: _of_html(path.read_bytes(), _ENCODINGS.get(path.name, "utf-8")),
    ".md": _of_text,
    ".pdf": _of_pdf,
    ".txt": _of_text,
}
