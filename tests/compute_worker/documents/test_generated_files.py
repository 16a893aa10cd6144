"""Files of every format but PDF and HTML (which have their own) as no program would write them: each is a
document that keeps all promises, or is refused with a reason."""

import io
import zipfile
from collections.abc import Callable
from types import ModuleType
from xml.sax.saxutils import escape, quoteattr

import pytest
from books.epubs import archive, epub
from books.reading import read
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from compute_worker.documents import docx_file, markdown_file, text_file
from compute_worker.documents.epub import book
from shared.errors import Code, LecternError

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TEXTS = st.sampled_from(
    ["It rose. ", "", " ", "\u05e0\u05d4\u05e8", "猫である。", "1.", "&", "</p>", "\u00ad", "x" * 99]
)
NAMES = st.sampled_from(
    ["a.xhtml", "b.xhtml", "../a.xhtml", "/etc/passwd", "", "%00", "a.xhtml#x", "http://h/", "no"]
)
WORD_TAGS = [
    "p",
    "r",
    "t",
    "tbl",
    "tr",
    "tc",
    "pPr",
    "pStyle",
    "numPr",
    "numId",
    "footnoteReference",
    "br",
    "sdt",
]
PAGE_TAGS = [
    "p",
    "h1",
    "table",
    "tr",
    "td",
    "aside",
    "a",
    "img",
    "ruby",
    "rt",
    "svg",
    "br",
    "section",
    "math",
]
PIECES = st.sampled_from(
    ["# A", "It rose.", "- x", "  1. y", "> q", "```", "|a|b|", "|-|-|", "[^1]", "[^1]: n", "***", "<b>",
     "---", "title: x", "    code", "![i](x)", "[a](javascript:x)", "\t", "\\", "&#x110000;", "", "Chapter I"]
)  # fmt: skip


@st.composite
def trees(draw: st.DrawFn, tags: list[str], prefix: str = "", depth: int = 0) -> str:
    """Well-formed, whatever is inside of what."""
    tag = prefix + draw(st.sampled_from(tags))
    inner = "".join(draw(st.lists(trees(tags, prefix, depth + 1), max_size=3))) if depth < 4 else ""
    name = quoteattr(draw(NAMES))
    attributes = f"w:val={name} w:id={name}" if prefix else f"id={name} href={name} src={name}"
    return f"<{tag} {attributes}>{escape(draw(TEXTS))}{inner}</{tag}>"


@st.composite
def word_files(draw: st.DrawFn) -> bytes:
    body = draw(st.sampled_from(["<w:p><w:r><w:t>It rose.</w:t></w:r></w:p>", ""]))
    body += "".join(draw(st.lists(trees(WORD_TAGS, "w:"), max_size=4)))
    notes = "".join(draw(st.lists(trees(WORD_TAGS, "w:"), max_size=2)))
    types = (
        f'<Types xmlns="{PACKAGE}/content-types"><Override PartName="/word/document.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    target = quoteattr(draw(st.sampled_from(["word/document.xml", "/word/document.xml", "../no.xml"])))
    relations = (
        f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="a" Type="{OFFICE}/officeDocument" '
        f"Target={target}/></Relationships>"
    )
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        packed.writestr("[Content_Types].xml", types)
        packed.writestr("_rels/.rels", relations)
        packed.writestr(
            "word/document.xml", f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
        )
        packed.writestr("word/footnotes.xml", f'<w:footnotes xmlns:w="{WORD}">{notes}</w:footnotes>')
    return content.getvalue()


@st.composite
def books(draw: st.DrawFn) -> bytes:
    pages = {
        name: "".join(draw(st.lists(trees(PAGE_TAGS), max_size=3))) + draw(TEXTS.map(escape))
        for name in draw(st.sets(st.sampled_from(["a.xhtml", "b.xhtml"]), min_size=1))
    }
    spine = [f"<itemref idref={quoteattr(draw(st.sampled_from(['p0', 'p1', 'n', ''])))}/>" for _ in pages]
    items = (
        f'<item id="n" href={quoteattr(draw(NAMES))} media-type="application/xhtml+xml" properties="nav"/>'
    )
    whole = epub(pages, items=items, spine="".join(spine) if draw(st.booleans()) else None)
    if draw(st.booleans()):
        return whole
    with zipfile.ZipFile(io.BytesIO(whole)) as packed:
        gone = draw(st.sampled_from(packed.namelist()))
        return archive(
            {name: packed.read(name) for name in packed.namelist() if name not in {gone, "mimetype"}}
        )


texts = st.lists(PIECES | TEXTS, max_size=12).map("\n".join)
encoded = st.tuples(
    texts, st.sampled_from(["utf-8", "utf-16", "utf-16-be", "utf-8-sig", "gb18030", "utf-32"])
).map(lambda drawn: drawn[0].encode(drawn[1]))
FILES: dict[str, tuple[ModuleType, st.SearchStrategy[bytes]]] = {
    "docx": (docx_file, word_files()),
    "epub": (book, books()),
    "markdown": (markdown_file, texts.map(str.encode)),
    "text": (text_file, encoded | st.binary(max_size=200)),
}


@pytest.mark.parametrize("source_format", FILES)
def test_any_file_ends_in_a_document_or_a_clear_error(source_format: str) -> None:
    parser, files = FILES[source_format]

    @settings(
        max_examples=40,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(files)
    def every_file(content: bytes) -> None:
        keeps_promises(parser.parse, content)

    every_file()


def keeps_promises(parse: Callable[..., None], content: bytes) -> None:
    try:
        read(parse, content)
    except LecternError as error:
        assert error.code in {Code.INVALID_ARGUMENT, Code.RESOURCE_EXHAUSTED}, content  # noqa: PT017 - or it is read
        assert error.reason, content  # noqa: PT017
        assert error.message.endswith((".", ")")), error.message  # noqa: PT017
