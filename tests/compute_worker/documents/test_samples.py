"""Real books and pages that other projects test with."""

import importlib
from functools import cache
from pathlib import Path

import pytest
from books.reading import Reading, read

from compute_worker.documents.child import PARSERS
from compute_worker.documents.model import BlockRole, TextDirection
from shared.errors import LecternError

pytestmark = pytest.mark.samples
FORMATS = {"epub": "epub", "html": "html", "md": "markdown", "txt": "text"}


@cache
def read_sample(samples: Path, name: str) -> Reading:
    path = samples / name
    parser = importlib.import_module(PARSERS[FORMATS[path.suffix[1:]]])
    return read(parser.parse, path.read_bytes(), file_name=path.name)


def in_order(text: str, *pieces: str) -> bool:
    place = 0
    for piece in pieces:
        place = text.find(piece, place) + 1
        if not place:
            return False
    return True


@pytest.mark.parametrize(
    ("name", "language", "sections", "pieces"),
    [
        ("epub/e2-smoketest.epub", "en", 3, []),
        (
            "epub/e3-sherlock-se.epub",
            "en-GB",
            16,
            ["To Sherlock Holmes she is always the woman.", "Copper Beeches"],
        ),
        (
            "epub/e3-mrs-dalloway-one-chapter.epub",
            "en-GB",
            5,
            ["said she would buy the flowers herself.", "For there she was."],
        ),
        ("epub/e3-tts-mol-w3c.epub", "en", 2, ["Call me Ishmael.", "take to the ship"]),
        (
            "epub/e3-obfuscated-fonts.epub",
            "en-US",
            1,
            ["April is the cruellest month", "A GAME OF CHESS", "Shantih"],
        ),
        (
            "html/frankenstein-84-h.html",
            "en",
            28,
            ["Letter 1", "Chapter 1", "Chapter 24", "lost in darkness and distance"],
        ),
        (
            "html/readability-wikipedia.html",
            "en",
            6,
            ["Mozilla is a free-software community", "History", "Firefox"],
        ),
        ("html/readability-hukumusume.html", "ja", 1, ["肉をくわえたイヌが、橋を渡っていました。"]),
        ("html/sjis-no-declaration.html", "ja", 1, ["衆院議院運営委員会は９日午後の理事会で"]),
        (
            "md/commonmark-spec.md",
            "en",
            28,
            ["What is Markdown?", "Preliminaries", "Appendix: A parsing strategy"],
        ),
        ("md/docling-wiki.md", "en", 1, ["IBM", "International Business Machines"]),
        ("md/eng-spa.md", "en", 1, ["All human beings are born free", "Todos los seres humanos"]),
        (
            "txt/pride-1342-0.txt",
            "en",
            62,
            ["It is a truth universally acknowledged", "Chapter 61", "uniting them."],
        ),
        ("txt/enc-KOI8-R-ude_1.txt", "ru", 1, ["В гимназии он не был в числе первых учеников"]),
        ("txt/enc-UTF-16LE-nobom-utf16le.txt", "", 1, ["DateTime,Bid,Ask"]),
        ("txt/udhr.txt", "", 1, ["Universal Declaration of Human Right"]),
    ],
)
def test_a_sample_is_read_in_its_order(
    samples: Path, name: str, language: str, sections: int, pieces: list[str]
) -> None:
    reading = read_sample(samples, name)
    assert reading.document.language == language
    assert len(reading.sections) == sections
    assert in_order("\n".join(reading.texts()), *pieces)


def test_footnotes_are_apart_from_the_text(samples: Path) -> None:
    reading = read_sample(samples, "epub/e3-footnote-tiny.epub")
    assert "Sorry, I can't read ancient latin either..." in reading.texts(BlockRole.FOOTNOTE)
    assert all(not text.endswith("pariatur?1") for text in reading.texts())
    assert reading.document.cover in reading.resources


def test_ruby_is_not_read_twice(samples: Path) -> None:
    reading = read_sample(samples, "epub/e3-cjk-kusamakura-vertical.epub")
    assert reading.document.title == "草枕"
    assert reading.sections[1].blocks[1].text == "山路を登りながら、こう考えた。"
    assert len(reading.document.toc) == 14


def test_arabic_runs_from_right_to_left(samples: Path) -> None:
    reading = read_sample(samples, "epub/e3-rtl-arabic-cancer.epub")
    assert {section.direction for section in reading.sections} == {TextDirection.RTL}
    assert read_sample(samples, "html/readability-rtl-1.html").sections[0].direction is TextDirection.RTL


def test_a_path_that_leads_out_stays_inside(samples: Path) -> None:
    reading = read_sample(samples, "epub/bad-path-leaking.epub")
    assert len(reading.resources) == 1
    assert reading.texts()[0].startswith("Test passes if the photo")


def test_an_unclosed_element_is_survived(samples: Path) -> None:
    assert (
        read_sample(samples, "epub/bad-unclosed-tag.epub").texts()[1] == "This paragraph has an unclosed tag."
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("bad-empty", "DOCUMENT_EMPTY"),
        ("bad-image-as-epub", "NOT_AN_EPUB"),
        ("bad-no-end-header", "EPUB_DAMAGED"),
    ],
)
def test_a_bad_file_gives_its_own_error(samples: Path, name: str, reason: str) -> None:
    with pytest.raises(LecternError) as caught:
        read_sample(samples, f"epub/{name}.epub")
    assert caught.value.reason == reason
