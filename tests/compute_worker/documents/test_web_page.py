import asyncio
from pathlib import Path

import pytest
from books.reading import read

from compute_worker.documents.model import BlockRole
from compute_worker.documents.parser_process import ParserLimits, ParserProcess
from compute_worker.documents.web_page import parse
from shared.errors import LecternError

SENTENCE = "The river rose for the third time that spring, and nobody in the village was surprised by it. "
ARTICLE = f"""<!doctype html><html lang="en-GB"><head><title>The River | The Daily Village</title>
<meta name="author" content="Ada Lovelace; Grace Hopper"><meta property="og:title" content="The River">
</head><body><nav><a href="/">Home</a> <a href="/sport">Sport</a></nav>
<div class="cookie-banner">We value your privacy</div>
<article><h1>The River</h1><p>{SENTENCE * 3}</p><h2>What was lost</h2><p>{SENTENCE * 2}</p>
<ul><li>Seven boats, all of them old</li><li>One bridge, which had stood for long</li></ul>
<table><tr><th>Year</th><th>Level</th></tr><tr><td>1901</td><td>4 m</td></tr></table></article>
<aside><h3>Read also</h3><p>Ten tips for your garden in May</p></aside>
<div class="comments"><p>First!</p></div><footer>Imprint, terms and conditions</footer></body></html>"""


def test_the_article_is_read_and_what_surrounds_it_is_not() -> None:
    book = read(parse, ARTICLE.encode())
    texts = book.texts()
    assert texts[0] == "The River"
    assert texts[1].startswith("The river rose")
    assert "What was lost" in texts
    for furniture in ("Home", "privacy", "Read also", "garden", "First!", "Imprint"):
        assert not any(furniture in text for text in texts), furniture
    roles = [block.role for section in book.sections for block in section.blocks]
    assert roles.count(BlockRole.LIST_ITEM) == 2
    assert BlockRole.TABLE in roles


def test_title_authors_and_language_are_those_of_the_page() -> None:
    document = read(parse, ARTICLE.encode()).document
    assert (document.title, document.authors, document.language) == (
        "The River",
        ("Ada Lovelace", "Grace Hopper"),
        "en-GB",
    )
    assert document.source_format == "web_page"


def test_a_page_that_is_no_article_is_read_whole() -> None:
    book = read(parse, b"<title>Opening hours</title><p>Monday to Friday, nine to five.</p>")
    assert book.texts() == ["Monday to Friday, nine to five."]
    assert book.document.title == "Opening hours"


def test_a_page_without_text_is_refused() -> None:
    with pytest.raises(LecternError) as refusal:
        read(parse, b"<html><body><script>render()</script></body></html>")
    assert refusal.value.reason == "NO_READABLE_TEXT"


def test_scripts_and_remote_pictures_of_a_page_do_not_reach_the_reader() -> None:
    hostile = ARTICLE.replace(
        "<h2>", '<img src="https://x.example/p.png" onerror="a()"><script>b()</script><h2>'
    )
    sections = read(parse, hostile.encode()).sections
    assert not any(
        word in section.html for section in sections for word in ("script", "onerror", "x.example")
    )


@pytest.mark.parametrize(
    "page",
    [
        b"<div>" * 50_000,
        b"<table><tr><td>" * 4_000 + b"x",
        b"<p>" + b"<b><i>" * 20_000 + b"text",
        b"\xff\xfe<\0p",
    ],
    ids=["deep", "tables", "formatting", "odd"],
)
async def test_hostile_pages_end_in_a_document_or_a_clear_error(page: bytes, tmp_path: Path) -> None:
    source, folder = tmp_path / "source", tmp_path / "artifacts"
    await asyncio.to_thread(source.write_bytes, page)
    folder.mkdir()

    async def ignore(_phase: str, _done: int, _total: int) -> None:
        """Nobody watches."""

    process = ParserProcess(limits=ParserLimits(wall_seconds=60))
    try:
        await process.parse(
            path=source, folder=folder, source_format="web_page", file_name="x.html", on_progress=ignore
        )
    except LecternError as error:
        assert error.reason in {"NO_READABLE_TEXT", "DOCUMENT_TOO_COMPLEX", "DOCUMENT_TOO_SLOW"}  # noqa: PT017
    else:
        assert (folder / "document.json.gz").is_file()
