"""What holds for any markup: sentences tile blocks, the page shows exactly the text, nothing runs."""

import tempfile
from pathlib import Path

import nh3
from books.reading import artifact_folder, load
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from compute_worker.documents import html_file, markup
from compute_worker.documents.markup import Element
from compute_worker.documents.sentences import MAX_SENTENCE_CHARACTERS, cut_lines, cut_sentences
from shared.errors import LecternError

TAGS = sorted(
    markup.BLOCKS
    | markup.INLINES
    | {"a", "br", "img", "svg", "math", "font", "form", "button", "script", "wbr"}
    | {"x-y"}
)
TEXTS = st.one_of(
    st.sampled_from(
        [
            "Dr. Who? ",
            " “Yes.” ",
            "\n\n",
            "a&b<c>d",
            "\u00a0",
            "猫である。名前",
            "👩‍👩‍👧 ok. ",
            "مرحبا. كيف؟ ",
            "  ",
            "e\u0301",
            "1",
            "(2)",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=12),
)
ATTRIBUTES = st.dictionaries(
    st.sampled_from(
        [
            "id",
            "class",
            "lang",
            "dir",
            "href",
            "src",
            "alt",
            "role",
            "onclick",
            "style",
            "colspan",
            "data-block",
        ]
    ),
    st.sampled_from(
        [
            "x",
            "#x",
            "ar",
            "rtl",
            "javascript:alert(1)",
            "http://h/i.png",
            "doc-noteref",
            "2",
            "display:none",
            'a"b',
        ]
    ),
    max_size=2,
)


@st.composite
def trees(draw: st.DrawFn, depth: int = 0) -> Element:
    element = etree.Element(draw(st.sampled_from(TAGS)), draw(ATTRIBUTES))
    element.text = draw(st.none() | TEXTS)
    for _ in range(draw(st.integers(0, 3)) if depth < 5 else 0):
        child = draw(trees(depth=depth + 1))
        child.tail = draw(st.none() | TEXTS)
        element.append(child)
    return element


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(trees(), min_size=1, max_size=4), st.booleans())
def test_any_tree_becomes_a_page_that_shows_exactly_its_blocks(
    elements: list[Element], is_long: bool
) -> None:
    root = etree.Element("html")
    body = etree.SubElement(root, "body")
    body.text = "Text to begin with. " * (1500 if is_long else 1)
    body.extend(elements)
    with tempfile.TemporaryDirectory() as name:
        html_file.read_page(
            root, artifact_folder(Path(name)), title="t", authors=[], language="", source_format="html"
        )
        reading = load(Path(name))
    for section in reading.sections:
        assert "<script" not in section.html
        assert "javascript:" not in section.html
        assert "http://h/i.png" not in section.html or 'href="http://h/i.png"' in section.html
        assert nh3.clean(section.html, attributes={"*": set()}) is not None


@given(
    st.text(max_size=400),
    st.sampled_from(["en", "ja", "ar", "hi", "", "xx", "de-AT"]),
    st.lists(st.integers(0, 400)),
)
def test_sentences_tile_any_text(text: str, language: str, breaks: list[int]) -> None:
    ranges = cut_sentences(text, language, breaks)
    assert "".join(text[start:end] for start, end in ranges) == text
    assert all(start < end <= start + MAX_SENTENCE_CHARACTERS for start, end in ranges)
    lines = cut_lines(text)
    assert "".join(text[start:end] for start, end in lines) == text


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_with_a_reason(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        source, folder = Path(name) / "source", Path(name) / "artifacts"
        source.write_bytes(content)
        folder.mkdir()
        try:
            html_file.parse(source, artifact_folder(folder), file_name="x.html")
        except LecternError as error:
            assert error.reason in {"DOCUMENT_EMPTY", "NOT_TEXT", "NO_READABLE_TEXT"}  # noqa: PT017 - either end is right
        else:
            load(folder)
