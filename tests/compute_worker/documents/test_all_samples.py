"""Every real file that there is opens, is read in its order from first to last, or says why it doesn't."""

import importlib
from functools import cache
from pathlib import Path

import pytest
from books.reading import read
from books.source_order import Kept, kept_order, order_of

from compute_worker.documents.child import PARSERS
from compute_worker.documents.model import BlockRole
from shared.errors import LecternError

pytestmark = pytest.mark.samples
FORMATS = {"docx": "docx", "epub": "epub", "html": "html", "md": "markdown", "pdf": "pdf", "txt": "text"}
NOT_READ = {
    BlockRole.HEADER,
    BlockRole.FOOTER,
    BlockRole.PAGE_NUMBER,
    BlockRole.FOOTNOTE,
    BlockRole.OTHER,
}
# How what is read begins and ends; no beginning for the form, whose head is cells of several heights.
EDGES = {
    "docx/hdrftr.docx": ("Main document", "Main document"),
    "docx/headers.docx": ("A Test of Headers", "this gets converted to Span."),
    "docx/notes.docx": ("A footnote", "Test endnote."),
    "docx/tables.docx": ("A table, with and without a header row", "Of\nParagraphs\nIn each\nCell."),
    "docx/track-changes-move.docx": ("Here is some text.", "Here is some more text."),
    "epub/bad-path-leaking.epub": ("Test passes if the photo", "Photograph of a medieval monastery"),
    "epub/bad-unclosed-tag.epub": ("Test passes if", "This paragraph has an unclosed tag."),
    "epub/e2-smoketest.epub": ("Excerpt from King Solomon's Mines", "to play a game of quoits."),
    "epub/e3-cjk-kusamakura-vertical.epub": ("ロゴマーク:総務省", "目次"),
    "epub/e3-footnote-tiny.epub": ("Chapter 1", "quo voluptas nulla pariatur?"),
    "epub/e3-mrs-dalloway-one-chapter.epub": ("Mrs. Dalloway", "culture that has given all of us so much."),
    "epub/e3-obfuscated-fonts.epub": ("The Waste Land", "Shantih shantih shantih"),
    "epub/e3-rtl-arabic-cancer.epub": ("الفصل الثاني", "إلى كلّ أغذيتنا."),
    "epub/e3-sherlock-se.epub": (
        "The Adventures of Sherlock Holmes",
        "culture that has given all of us so much.",
    ),
    "epub/e3-tts-mol-w3c.epub": ("Test passes (i.e., the Reading System", "towards the ocean with me."),
    "html/frankenstein-84-h.html": ("Project Gutenberg's Frankenstein", "to hear about new eBooks."),
    "html/readability-hukumusume.html": ("福娘童話集", "世界の国々の豆知識"),
    "html/readability-rtl-1.html": ("Lorem", "mollit anim id est laborum."),
    "html/readability-wikipedia.html": ("Mozilla", "Commons category with page title same as on Wikidata"),
    "html/sjis-no-declaration.html": ("衆院議院運営委員会は９日午後", "ことを決めた。"),
    "md/commonmark-spec.md": ("Introduction", "above stack_bottom from the delimiter stack."),
    "md/docling-wiki.md": ("IBM", "the highly successful Selectric typewriter."),
    "md/eng-spa.md": ("All human beings are born free", 'los unos con los otros."'),
    "pdf/bad-bomb-giant.pdf": ("GIANT JBIG2 BOMB", "100000x100000 = 1.16GB each"),
    "pdf/bad-one-byte-missing.pdf": ("This is a test document.", "neighboring rights to this work."),
    "pdf/bad-page-tree-cycle.pdf": ("Testcase: ’Pages loop’", "Testcase: ’Pages loop’"),
    "pdf/bad-slow-issue16263.pdf": ("OA\nOB\nOC", "OA\nOB\nOC\nu"),
    "pdf/book-cweb.pdf": ("The CWEB System of Structured Documentation", "{1}{1}{1}{Chinese bar}’."),
    "pdf/cjk-chinese-tables.pdf": (
        "盐城高新区投资集团有限公司2023年度",
        "上海银行盐城分行\n46,265.00\n46,265.00\n0.00",
    ),
    "pdf/enc-owner-only-r6.pdf": ("pdf encryption test", "password: asdfzxcv"),
    "pdf/footnotes-dmca-encrypted.pdf": ("THE DIGITAL MILLENNIUM COPYRIGHT ACT OF 1998", ""),
    "pdf/form-f1040-tagged.pdf": ("", "Form 1040 (2010)"),
    "pdf/ligatures.pdf": ("abcdeffffiflffiffl", "ghijklmno"),
    "pdf/optional-hyphen.pdf": ("optionalhyphen", "optionalhyphen"),
    "pdf/report-nist-tagged.pdf": ("NIST Special Publication 800", "isolated networking, such as VPNs."),
    "pdf/rotated-0-90-180-270.pdf": ("cell[1][0]\ncell[1][1]", "cell[7][3]\ncell[7][4]"),
    "pdf/rtl-hebrew.pdf": ("שלום עולם מה שלום כולם?", "לפי סעיף 15(ב)(4) לחוק מבקר המדינה"),
    "pdf/slides-sns.pdf": ("SNS DOE Review", "Long to-do list, especially on commissioning plans"),
    "pdf/three-col-federal-register.pdf": ("Proposed Rules", "public docket for this rulemaking."),
    "pdf/two-col-naacl06.pdf": ("Preemptive Information Extraction using", "Linguistics (COLING-00)."),
    "pdf/two-col-tracemonkey.pdf": ("Trace-based Just-in-Time Type Specialization", "ACM Press, 2007."),
    "pdf/two-text-boxes.pdf": ("Left column line 1", "Right column line 2"),
    "txt/enc-KOI8-R-ude_1.txt": ("В гимназии он не был в числе первых", "и повторить поступление."),
    "txt/enc-UTF-16LE-nobom-utf16le.txt": ("DateTime,Bid,Ask", "1.08307,1.08353"),
    "txt/pride-1342-0.txt": (
        "The Project Gutenberg EBook of Pride and Prejudice",
        "to hear about new eBooks.",
    ),
    "txt/udhr.txt": ("Universal Declaration of Human Right", "------"),
}
# How much of a file is to be found in its reading, and how often that may go back, where not all and never.
ALL_IN_ORDER = (0.98, 0)
ORDERS = {
    "epub/bad-path-leaking.epub": (0.65, 0),  # the description of its picture is the end
    "epub/e3-footnote-tiny.epub": (0.18, 0),  # most of it are its notes
    "epub/e3-obfuscated-fonts.epub": (0.64, 0),  # and so are the poet's own
    "html/readability-wikipedia.html": (0.58, 0),  # menus, references
    "md/commonmark-spec.md": (0.84, 0),  # marks of Markdown within the words
    # Floats and notes are drawn where they fit, and slides from the back to the front.
    "pdf/book-cweb.pdf": (0.97, 8),
    "pdf/cjk-chinese-tables.pdf": (0.75, 0),
    "pdf/footnotes-dmca-encrypted.pdf": (0.94, 0),
    "pdf/form-f1040-tagged.pdf": (0.78, 8),  # box by box
    "pdf/report-nist-tagged.pdf": (0.95, 1),
    "pdf/slides-sns.pdf": (0.7, 15),
    "pdf/three-col-federal-register.pdf": (0.77, 5),
    "pdf/two-col-naacl06.pdf": (0.93, 7),
    "pdf/two-col-tracemonkey.pdf": (0.93, 8),
}
# Not as many words as an order needs, or a table that says the same on each page.
TOO_SHORT = {
    "docx/hdrftr.docx",
    "pdf/bad-page-tree-cycle.pdf",
    "pdf/bad-slow-issue16263.pdf",
    "pdf/ligatures.pdf",
    "pdf/optional-hyphen.pdf",
    "pdf/rotated-0-90-180-270.pdf",
}
REASONS = {
    "docx/protected.docx": "DOCUMENT_ENCRYPTED",
    "epub/bad-empty.epub": "DOCUMENT_EMPTY",
    "epub/bad-image-as-epub.epub": "NOT_AN_EPUB",
    "epub/bad-no-end-header.epub": "EPUB_DAMAGED",
    "pdf/bad-empty-0-bytes.pdf": "DOCUMENT_EMPTY",
    "pdf/enc-user-password.pdf": "PASSWORD_REQUIRED",
}
# Pictures of pages: nothing to hear, all of it to be seen.
SILENT = {"pdf/scan-linn-1p.pdf", "pdf/type3-nomapping.pdf"}


@cache
def texts_of(samples: Path, name: str) -> list[str]:
    path = samples / name
    parser = importlib.import_module(PARSERS[FORMATS[path.suffix[1:]]])
    reading = read(parser.parse, path.read_bytes(), file_name=path.name)
    return [block.text for block in reading.blocks if block.role not in NOT_READ]


def test_every_sample_is_in_the_lists(samples: Path) -> None:
    found = {str(path.relative_to(samples)) for path in samples.glob("*/*")}
    assert found == EDGES.keys() | REASONS.keys() | SILENT


@pytest.mark.parametrize("name", EDGES)
def test_a_sample_is_read_from_its_first_words_to_its_last(samples: Path, name: str) -> None:
    texts = texts_of(samples, name)
    first, last = EDGES[name]
    assert texts[0].startswith(first)
    assert texts[-1].endswith(last)


@pytest.mark.parametrize("name", sorted(EDGES.keys() - TOO_SHORT))
def test_a_sample_is_read_in_the_order_of_its_source(samples: Path, name: str) -> None:
    """Against what its file holds, taken out of it without our parsers."""
    least_found, most_turns = ORDERS.get(name, ALL_IN_ORDER)
    kept = kept_order(samples / name, "\n".join(texts_of(samples, name)))
    assert kept.found >= least_found
    assert kept.turns <= most_turns


def test_another_order_would_be_noticed(samples: Path) -> None:
    """Parts that change places are turns; lines of two columns read as one are not found any more."""
    whole = "\n".join(texts_of(samples, "pdf/two-col-tracemonkey.pdf"))
    words = whole.split()
    half = len(words) // 2
    exchanged = [*words[half:], *words[:half]]
    lines = [words[first : first + 8] for first in range(0, len(words), 8)]
    across = [
        word
        for pair in zip(lines[::2], lines[1::2], strict=False)
        for line in (pair[0][:4], pair[1][:4], pair[0][4:], pair[1][4:])
        for word in line
    ]
    assert order_of(whole, whole) == Kept(1, 0)
    assert order_of(whole, " ".join(exchanged)).turns == 1
    assert order_of(whole, " ".join(across)).found < 0.5


@pytest.mark.parametrize("name", REASONS)
def test_a_sample_that_cannot_be_read_says_why(samples: Path, name: str) -> None:
    with pytest.raises(LecternError) as caught:
        texts_of(samples, name)
    assert caught.value.reason == REASONS[name]


@pytest.mark.parametrize("name", sorted(SILENT))
def test_a_sample_without_text_opens_all_the_same(samples: Path, name: str) -> None:
    assert texts_of(samples, name) == []
