import base64

import pytest
from books.epubs import PNG
from books.reading import read

from compute_worker.documents.html_file import parse
from compute_worker.documents.model import BlockRole, TextDirection
from shared.errors import LecternError

PARAGRAPH = "<p>" + "This is a sentence of the page. " * 40 + "</p>"


def texts(html: str) -> list[str]:
    return read(parse, html.encode()).texts()


def test_furniture_of_a_page_is_left_out() -> None:
    assert texts(
        "<title>T</title><header>Site</header><nav>Menu</nav><div role=search>Find</div><script>x()</script>"
        "<article><header><h1>Head</h1></header><p>Text</p></article><noscript>No</noscript><footer>Legal</footer>"
    ) == ["Head", "Text"]


def test_the_main_part_stands_for_the_page_if_it_holds_most_of_it() -> None:
    assert len(texts(f"<div>Aside</div><main>{PARAGRAPH}</main>")) == 1
    assert len(texts(f"<div>{PARAGRAPH}</div><main>Little</main>")) == 2


def test_a_long_page_is_cut_at_its_headings_and_a_short_one_is_not() -> None:
    chapters = "".join(f"<h2>Chapter {number}</h2>{PARAGRAPH * 4}" for number in range(6))
    long = read(parse, f"<h1>Book</h1>{chapters}".encode())
    assert [section.title for section in long.sections] == ["Book", *(f"Chapter {n}" for n in range(1, 6))]
    assert [entry.title for entry in long.document.toc] == ["Book"]
    assert [entry.section for entry in long.document.toc[0].children] == [0, 1, 2, 3, 4, 5]
    assert len(read(parse, b"<h1>A</h1><p>x</p><h2>B</h2><p>y</p>").sections) == 1


def test_chapters_of_a_lower_level_cut_where_there_are_no_higher_ones() -> None:
    chapters = "".join(f"<h3>Chapter {number}</h3>{PARAGRAPH * 4}" for number in range(6))
    assert len(read(parse, f"<h1>Book</h1>{chapters}".encode()).sections) == 6


@pytest.mark.parametrize(
    ("declaration", "encoding", "text"),
    [
        ("", "shift_jis", "これは日本語の文章です。とても短い文章ですが、読めます。" * 3),
        ('<meta charset="shift_jis">', "cp932", "①髙い山です。"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">', "cp1252", "“Fünf” – €"),
        ('<meta charset="utf-8">', "cp1252", "Très été déjà vu à Noël, où êtes-vous passés hier après-midi"),
        ("", "utf-16", "naïve ☃"),
        ("", "utf-8-sig", "naïve ☃"),
        ("", "utf-16-le", "plain words in a wide encoding"),
    ],
)
def test_the_encoding_is_found(declaration: str, encoding: str, text: str) -> None:
    content = f"<html><head>{declaration}</head><body><p>{text}</p></body></html>".encode(encoding)
    assert read(parse, content).texts() == [text]


def test_only_pictures_that_lie_in_the_page_are_shown() -> None:
    inside = "data:image/png;base64," + base64.b64encode(PNG).decode()
    reading = read(
        parse,
        f'<p>x</p><img src="{inside}"><img src="https://tracker.example/p.png" alt="Far"><img src="file:///etc/passwd">'
        '<img src="data:image/svg+xml;base64,PHN2Zy8+"><img src="data:image/png;base64,%%%">'.encode(),
    )
    assert len(reading.resources) == 1
    assert reading.html.count("<img") == 1
    assert "tracker" not in reading.html
    assert reading.texts(BlockRole.IMAGE_ALT) == ["Far"]


HOSTILE = [
    "<script>alert(1)</script>",
    "<p onclick='alert(1)'>x</p>",
    "<a href='java\tscript:alert(1)'>x</a>",
    "<a href=' javascript:alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<svg><script>alert(1)</script></svg>",
    "<svg/onload=alert(1)>",
    "<math><mtext><script>alert(1)</script></mtext></math>",
    "<iframe src='https://evil.example'></iframe>",
    "<form action='https://evil.example'><input name=a></form>",
    "<style>@import 'https://evil.example/x.css'; p{background:url(https://evil.example)}</style>",
    "<p style='background:url(https://evil.example)'>x</p>",
    "<link rel=stylesheet href='https://evil.example'>",
    "<base href='https://evil.example'>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<object data='https://evil.example'></object><embed src='https://evil.example'>",
    "<video src='https://evil.example' poster='https://evil.example'></video>",
    "<img src=x onerror=alert(1)>",
    "<img srcset='https://evil.example 1x'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<template><script>alert(1)</script></template>",
    "<textarea><img src=x onerror=alert(1)></textarea>",
    "<title><img src=x onerror=alert(1)></title>",
    "<a ping='https://evil.example' href='#x'>x</a>",
    "<p data-block='9-9' data-sentence='99' id='content' class='modal'>x</p>",
    "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_nothing_that_a_page_brings_can_run_or_call_home(hostile: str) -> None:
    html = read(parse, f"<p>Harmless.</p>{hostile}<p>Too.</p>".encode()).html.lower()
    for danger in (
        "<script",
        "onclick",
        "onerror",
        "onload",
        "javascript",
        "evil.example",
        "<iframe",
        "<form",
        "style",
    ):
        assert danger not in html
    assert 'data-block="9-9"' not in html
    assert "id=" not in html
    assert "class=" not in html


def test_a_page_nested_beyond_the_limit_is_refused_rather_than_cut_short() -> None:
    with pytest.raises(LecternError) as caught:
        read(parse, b"<p>Begin</p>" + b"<div>" * 5000 + b"Lost")
    assert caught.value.reason == "DOCUMENT_TOO_COMPLEX"


def test_the_direction_of_the_page_is_kept() -> None:
    assert read(parse, b'<html dir="rtl"><p>Lorem</p>').sections[0].direction is TextDirection.RTL


def test_a_page_of_one_enormous_paragraph_works() -> None:
    reading = read(parse, ("<p>" + "Words upon words, and then a stop. " * 30_000).encode())
    assert reading.document.sentence_count == 30_000


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "DOCUMENT_EMPTY"),
        (b"  \n ", "DOCUMENT_EMPTY"),
        (b"<html><body><img src=x></body></html>", "NO_READABLE_TEXT"),
        (bytes(range(256)) * 8, "NOT_TEXT"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(content: bytes, reason: str) -> None:
    with pytest.raises(LecternError) as caught:
        read(parse, content)
    assert caught.value.reason == reason
