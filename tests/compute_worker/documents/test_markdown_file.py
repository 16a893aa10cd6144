from books.reading import read

from compute_worker.documents.markdown_file import parse
from compute_worker.documents.model import BlockRole


def test_blocks_keep_their_roles() -> None:
    reading = read(
        parse,
        b"# Head\n\nText *with* `code`.\n\n- one\n- two\n\n> quoted\n\n```py\nx = 1\n```\n\n| a | b |\n"
        b"|---|---|\n| 1 | 2 |\n",
    )
    assert [(block.role, block.text) for block in reading.blocks] == [
        (BlockRole.TITLE, "Head"),
        (BlockRole.PARAGRAPH, "Text with code."),
        (BlockRole.LIST_ITEM, "one"),
        (BlockRole.LIST_ITEM, "two"),
        (BlockRole.QUOTE, "quoted"),
        (BlockRole.CODE, "x = 1"),
        (BlockRole.TABLE, "a\nb"),
        (BlockRole.TABLE, "1\n2"),
    ]


def test_footnotes_are_footnotes_and_their_marks_are_not_read() -> None:
    reading = read(parse, b"Text[^1] goes on.\n\n[^1]: The note.\n")
    assert reading.texts(BlockRole.PARAGRAPH) == ["Text goes on."]
    assert reading.texts(BlockRole.FOOTNOTE) == ["The note."]


def test_front_matter_names_the_document_and_is_not_read() -> None:
    reading = read(parse, b"---\ntitle: 'My Title'\nauthor: Ann\nlang: fr\n---\n\nBonjour.\n")
    assert (reading.document.title, reading.document.authors, reading.document.language) == (
        "My Title",
        ("Ann",),
        "fr",
    )
    assert reading.texts() == ["Bonjour."]


def test_without_it_the_first_heading_or_the_file_names_the_document() -> None:
    assert read(parse, b"text\n\n# Head\n").document.title == "Head"
    assert read(parse, b"text", file_name="my_notes.md").document.title == "my notes"


def test_raw_html_is_as_harmless_as_anywhere() -> None:
    reading = read(
        parse, b'Hi <b onclick="x()">there</b><script>alert(1)</script>\n\n[x](javascript:alert(1))\n'
    )
    assert reading.texts() == ["Hi there", "[x](javascript:alert(1))"]
    assert "<script" not in reading.html
    assert "onclick" not in reading.html


def test_long_documents_are_cut_at_headings() -> None:
    text = "".join(f"## Part {number}\n\n{'A sentence here. ' * 300}\n\n" for number in range(5))
    assert [section.title for section in read(parse, text.encode()).sections] == [
        f"Part {n}" for n in range(5)
    ]
