"""Media Overlays: a book that brings its own sound tells so, and a broken one is still a book."""

import random
import time

import pytest
from books.epubs import epub
from books.reading import read

from compute_worker.documents.epub.book import parse
from compute_worker.documents.epub.narration import clock_seconds
from compute_worker.documents.model import Narration

ENTITIES = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


def smil(*pars: str) -> str:
    body = f"<body><seq>{''.join(pars)}</seq></body>"
    return f'<smil xmlns="http://www.w3.org/ns/SMIL" version="3.0">{body}</smil>'


def par(
    text: str = "../a.xhtml#one", audio: str = "../a.mp3", clip: str = 'clipBegin="0s" clipEnd="2s"'
) -> str:
    return f'<par><text src="{text}"/><audio src="{audio}" {clip}/></par>'


def narrated(overlay: str | bytes | None, *, metadata: str = "") -> Narration | None:
    """Of a book of two files, the first of which has an overlay."""
    files: dict[str, bytes | str] = {"OPS/a.mp3": b"ID3"}
    if overlay is not None:
        files["OPS/smil/a.smil"] = overlay
    book = epub(
        {"a.xhtml": '<p id="one">Alpha.</p><p id="two">Bravo.</p>', "b.xhtml": "<p>Charlie.</p>"},
        items='<item id="o" href="smil/a.smil" media-type="application/smil+xml"/>'
        '<item id="n0" href="a.xhtml" media-type="application/xhtml+xml" media-overlay="o"/>',
        spine='<itemref idref="n0"/><itemref idref="p1"/>',
        metadata=metadata,
        others=files,
    )
    reading = read(parse, book)
    assert reading.texts() == ["Alpha.", "Bravo.", "Charlie."], "whatever its narration is like"
    return reading.document.narration


def test_a_narrated_book_tells_who_reads_it_and_how_long() -> None:
    metadata = (
        '<meta property="media:narrator">Ada Reader</meta><meta property="media:narrator">Bo Voice</meta>'
        '<meta property="media:duration">1:00:02.5</meta>'
        '<meta property="media:duration" refines="#o">3s</meta>'
    )
    both = smil(par(), par("../a.xhtml#two", clip='clipBegin="2s" clipEnd="0:00:03.5"'))
    assert narrated(both, metadata=metadata) == Narration(("Ada Reader", "Bo Voice"), 3602.5, 2, 0)
    assert narrated(both) == Narration((), 3.5, 2, 0), "its clips tell what nothing else does"


def test_a_clip_without_sound_is_for_a_voice_to_say() -> None:
    said = '<par><text src="../a.xhtml#one"/></par>'
    assert narrated(smil(said, par(clip=""))) == Narration((), 0.0, 2, 0)


def test_a_book_without_overlays_has_no_narration() -> None:
    book = epub({"a.xhtml": "<p>x</p>"}, items='<item id="s" href="a.mp3" media-type="audio/mpeg"/>')
    assert read(parse, book).document.narration is None


@pytest.mark.parametrize(
    "wrong",
    [
        par("../b.xhtml#one"),
        par("../gone.xhtml"),
        par("http://evil.test/a.xhtml#one"),
        par(audio="http://evil.test/a.mp3"),
        par(audio="../../../../etc/passwd"),
        par(audio="../gone.mp3"),
        par(audio=""),
        par(clip='clipBegin="5s" clipEnd="2s"'),
        par(clip='clipBegin="-1s" clipEnd="2s"'),
        par(clip='clipBegin="soon" clipEnd="2s"'),
        par(clip='clipBegin="0s" clipEnd="inf"'),
        '<par><audio src="../a.mp3"/></par>',
        "<par/>",
    ],
)
def test_what_cannot_be_played_is_counted_and_the_rest_is_not_lost(wrong: str) -> None:
    assert narrated(smil(par(), wrong)) == Narration((), 2.0, 1, 1)


@pytest.mark.parametrize(
    "overlay",
    [
        None,
        "",
        b"\x00\xff\xfe" * 100,
        "<smil",
        "<html/>",
        smil(),
        "<seq>" * 3_000 + par() + "</seq>" * 3_000,
        f"<!DOCTYPE smil [<!ENTITY l0 'ha'>{ENTITIES}]><smil><body>&l9;</body></smil>",
        smil(par(), f"<!--{random.Random(1).randbytes(9 * 1024 * 1024).hex()}-->"),
    ],
    ids=["gone", "empty", "bytes", "cut off", "html", "nothing", "deep", "entities", "large"],
)
def test_an_overlay_that_is_none_never_stops_the_book(overlay: str | bytes | None) -> None:
    assert narrated(overlay) == Narration((), 0.0, 0, 1)


def test_a_narration_without_end_is_looked_through_in_bounds() -> None:
    endless = smil(par(clip='clipBegin="0h" clipEnd="99999h"') * 20_000)
    began = time.process_time()
    found = narrated(endless, metadata='<meta property="media:narrator">' + "N" * 5_000 + "</meta>" * 1)
    assert time.process_time() - began < 60
    assert found is not None
    assert found.duration_seconds <= 400 * 3600
    assert len(found.narrators[0]) == 200


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0:10:30.5", 630.5), ("10:30", 630.0), ("7.5", 7.5), ("7.5s", 7.5), ("250ms", 0.25), ("2min", 120.0),
     ("1.5h", 5400.0), (" 3s ", 3.0), ("0:60:00", None), ("1:2:3:4", None), ("-3s", None), ("nan", None),
     ("1e9", None), ("", None), ("٣s", None)],
)  # fmt: skip
def test_clock_values_are_read_as_smil_writes_them(text: str, seconds: float | None) -> None:
    assert clock_seconds(text) == seconds
