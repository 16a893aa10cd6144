"""A PDF as its pages: sharp at every size, with text to select and words lit where they stand."""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2
import pytest
from e2e.accessibility import violations
from e2e.browser import Person
from PIL import Image
from playwright.sync_api import expect
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from shared.readings import PARSER_VERSION

pytestmark = pytest.mark.e2e

FONT, SIZE, LEADING = "Times-Roman", 14.0, 22.0
LEFT, TOP, WIDTH, HEIGHT = 90.0, 620.0, 600.0, 800.0
FIRST = (
    "Alpha opens the story, and bravo follows it at once.",
    "Charlie says nothing at all, while delta never stops.",
    "Echo repeats whatever foxtrot has said before.",
    "Golf is played outside, so hotel keeps a room ready.",
)
SECOND = (
    "India is far away, and juliett would like to go there.",
    "Kilo weighs too much, lima is a city and a bean.",
    "Mike holds the microphone until november comes.",
    "Oscar wins a prize, and papa is very proud of him.",
)

# What is lit, in points of its page, and what the reader says is spoken: of one moment. Null between two
# words, on another page, and while the word still is the one that begins at `other`.
LIT = """({ page, other }) => {
  const reader = document.querySelector("lectern-reader");
  const { block = "", wordStart = "", wordEnd = "", state = "" } = reader.dataset;
  const words = [...document.querySelectorAll(".lit-word")].map((lit) => {
    const leaf = lit.closest(".leaf");
    const [box, page] = [lit.getBoundingClientRect(), leaf.getBoundingClientRect()];
    const point = page.width / 600;
    return [Number(leaf.dataset.page), (box.left - page.left) / point, (box.top - page.top) / point,
            (box.right - page.left) / point, (box.bottom - page.top) / point];
  });
  const [start, end] = [Number(wordStart), Number(wordEnd)];
  if (!words.length || wordStart === "" || start === other) return null;
  return page === null || words[0][0] === page ? { block, start, end, state, words } : null;
}"""


@dataclass(frozen=True)
class Place:
    page: int
    left: float
    right: float
    baseline: float  # from the top


def places() -> dict[str, list[Place]]:
    """Where each word of the file was set, by its letters."""
    found: dict[str, list[Place]] = {}
    for page, lines in enumerate((FIRST, SECOND)):
        for number, line in enumerate(lines):
            words = line.split()
            for index, word in enumerate(words):
                before = " ".join(words[:index]) + (" " if index else "")
                left = LEFT + stringWidth(before, FONT, SIZE)
                letters = word.strip(".,")
                right, baseline = left + stringWidth(letters, FONT, SIZE), HEIGHT - TOP + number * LEADING
                found.setdefault(letters, []).append(Place(page, left, right, baseline))
    return found


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=(WIDTH, HEIGHT))
    canvas.setTitle("The alphabet on two pages")
    for lines in (FIRST, SECOND):
        canvas.setFont(FONT, SIZE)
        for number, line in enumerate(lines):
            canvas.drawString(LEFT, TOP - number * LEADING, line)
        canvas.showPage()
    canvas.rect(200, 300, 200, 200, fill=1)
    canvas.showPage()
    canvas.save()
    file = tmp_path / "alphabet.pdf"
    file.write_bytes(target.getvalue())
    return file


def open_pages(person: Person, title: str) -> str:
    person.page.locator("a.card-link").filter(has_text=title).click(timeout=30_000)
    expect(person.page.locator(".leaf[data-page='0'][data-image][data-text]")).to_be_visible()
    return person.page.url.rpartition("/")[2]


# Pixels of the image, or of the coarsest of its squares that lie in the window, for each pixel of the screen;
# null while there are not enough.
SHARPNESS = """({ page, least }) => {
  const leaf = document.querySelector(`.leaf[data-page="${page}"][data-image]`);
  if (!leaf) return null;
  const box = leaf.getBoundingClientRect();
  const { offsetLeft, offsetTop, width, height, scale } = visualViewport;
  const squares = [...leaf.querySelectorAll(".leaf-tiles [data-width]")].map((square) => {
    const at = square.getBoundingClientRect();
    return { at, density: square.dataset.width / at.width };
  });
  const seen = [0.02, 0.3, 0.5, 0.7, 0.98].flatMap((across) => [0.02, 0.3, 0.5, 0.7, 0.98].map((down) => [
    offsetLeft + across * width, offsetTop + down * height,
  ])).filter(([x, y]) => box.left < x && x < box.right && box.top < y && y < box.bottom);
  const densities = seen.map(([x, y]) => Math.max(0, ...squares
    .filter(({ at }) => at.left <= x && x <= at.right && at.top <= y && y <= at.bottom)
    .map(({ density }) => density)));
  const whole = leaf.querySelector(".leaf-image").naturalWidth / box.width;
  const coarsest = densities.length ? Math.min(...densities) : 0;
  const sharpness = Math.max(whole, coarsest) / (devicePixelRatio * scale);
  return sharpness >= least ? sharpness : null;
}"""


def sharpness(person: Person, page: int) -> float:
    """Once the page is sharp."""
    wanted = {"page": page, "least": 0.99}
    return float(person.page.wait_for_function(SHARPNESS, arg=wanted, timeout=20_000).json_value())


def zoom_in(person: Person, *percents: int) -> None:
    """Step by step; at each the page is sharp."""
    for percent in percents:
        person.page.get_by_role("button", name="Zoom in").click()
        expect(person.page.get_by_role("button", name="Zoom and layout")).to_have_text(f"{percent}%")
        sharpness(person, 0)


def ink_edges(picture: Image.Image) -> float:
    """How steep the steps between white and black are, from one pixel to the next: 1 at most."""
    ink = np.asarray(picture.convert("L"), dtype=float) / 255
    steepest = np.abs(np.diff(ink, axis=1)).max(axis=1)
    return float(steepest[steepest > 0.1].mean())


def is_drawn_as_sharp_as_can_be(person: Person, file: Path, word: str) -> None:
    """Holds a word of the first page as it is on the screen against pdfium's own drawing in that size."""
    box = person.page.locator(".page-word").get_by_text(word).bounding_box()
    leaf = person.page.locator(".leaf[data-page='0']").bounding_box()
    assert box
    assert leaf
    shown = Image.open(io.BytesIO(person.page.screenshot(clip=box)))  # in pixels of the screen
    point = leaf["width"] / WIDTH
    left, top = (box["x"] - leaf["x"]) / point, (box["y"] - leaf["y"]) / point
    right, bottom = left + box["width"] / point, top + box["height"] / point
    crop = (left, HEIGHT - bottom, WIDTH - right, top)

    def drawn(width: float) -> Image.Image:
        with pypdfium2.PdfDocument(file) as document:
            return document[0].render(scale=width / WIDTH, crop=crop, rev_byteorder=True).to_pil()

    best = ink_edges(drawn(shown.width / (right - left) * WIDTH))
    widest_picture = ink_edges(drawn(4000).resize(shown.size, Image.Resampling.BILINEAR))
    assert widest_picture < 0.7 * best  # what is measured tells them apart
    assert ink_edges(shown) > 0.8 * best


def text_of(person: Person, document_id: str, block: str) -> str:
    section = person.api(f"/api/documents/{document_id}/sections/{block.partition('-')[0]}")
    return str(next(found["text"] for found in section["blocks"] if found["id"] == block))


def until_lit(person: Person, *, page: int | None = None, other_than: int = -1) -> dict[str, Any]:
    wanted = {"page": page, "other": other_than}
    return dict(person.page.wait_for_function(LIT, arg=wanted, timeout=30_000).json_value())


def lies_on_its_word(person: Person, document_id: str, lit: dict[str, Any]) -> str:
    """Holds the lit box against where the word was set; returns the word."""
    word = text_of(person, document_id, lit["block"])[lit["start"] : lit["end"]].strip(".,")
    ((page, left, top, right, bottom),) = lit["words"]
    assert any(
        page == place.page
        and left == pytest.approx(place.left, abs=2)
        and right == pytest.approx(place.right, abs=6)  # a comma may belong to it
        and top < place.baseline - 5 < bottom
        for place in places()[word]
    ), (word, lit, places()[word])
    return word


def test_a_pdf_is_shown_selected_heard_and_lit_on_its_pages(newcomer, paper):
    # Two pixels of the screen for one of the page, as on most phones and notebooks.
    person = newcomer(device_scale_factor=2)
    person.sign_up()
    person.upload(paper)
    document_id = open_pages(person, "alphabet")
    page = person.page
    assert sharpness(person, 0) < 2.1

    start, end = (
        page.locator(".page-word").get_by_text(word, exact=False) for word in ("Charlie", "nothing")
    )
    first, last = start.bounding_box(), end.bounding_box()
    page.mouse.move(first["x"] + 1, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 4, last["y"] + last["height"] / 2, steps=4)
    page.mouse.up()
    assert page.evaluate("getSelection().toString().trim()") == "Charlie says nothing"
    page.evaluate("getSelection().empty()")

    parser = person.api(f"/api/documents/{document_id}/reading")["parserVersion"]
    with page.expect_request("**/api/tts/playback/sessions") as begun:
        page.get_by_role("button", name="Play", exact=True).click()
    assert begun.value.post_data_json["parser"] == parser == PARSER_VERSION
    lit = until_lit(person)
    heard = {lies_on_its_word(person, document_id, lit)}
    for _ in range(2):
        lit = until_lit(person, other_than=lit["start"])
        heard.add(lies_on_its_word(person, document_id, lit))
    assert len(heard) == 3
    with page.expect_request("**/position") as kept:
        person.pause()
    assert kept.value.post_data_json["parser"] == parser

    zoom_in(person, 200, 250)  # 4,000 pixels of the screen, which is as wide as pictures of a page are made
    number = page.get_by_label("Go to page")
    number.fill("2")
    number.press("Enter")
    expect(page.locator("lectern-pages")).to_have_attribute("data-page", "2")
    page.locator(".leaf[data-page='1'] .page-word").get_by_text("Mike").click()
    heard_there = lies_on_its_word(person, document_id, until_lit(person, page=1))
    assert heard_there in " ".join(SECOND[2:])
    person.pause()


def test_the_view_is_chosen_kept_and_says_where_there_is_nothing_to_hear(newcomer, paper):
    person = newcomer(viewport={"width": 390, "height": 844}, device_scale_factor=3)
    person.sign_up()
    person.upload(paper)
    document_id = open_pages(person, "alphabet")
    page = person.page
    overflow = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0
    zoom_in(person, 50, 67, 80, 100, 125, 150, 200, 250, 300, 400)  # 9,600 pixels of the screen
    page.locator(".page-word").get_by_text("Alpha").scroll_into_view_if_needed()
    sharpness(person, 0)
    is_drawn_as_sharp_as_can_be(person, paper, "Alpha")
    page.locator(".page-word").get_by_text("Charlie").click()
    lies_on_its_word(person, document_id, until_lit(person, page=0))
    person.pause()
    pinch = page.context.new_cdp_session(page)
    pinch.send("Emulation.setPageScaleFactor", {"pageScaleFactor": 2})
    sharpness(person, 0)
    pinch.send("Emulation.setPageScaleFactor", {"pageScaleFactor": 1})
    page.get_by_role("button", name="Zoom and layout").click()
    page.get_by_role("radio", name="Width").check(force=True)
    page.keyboard.press("Escape")
    page.get_by_label("Go to page").fill("3")
    page.get_by_label("Go to page").press("Enter")
    expect(page.locator(".leaf[data-page='2']")).to_contain_text("no text on this page")
    page.keyboard.press("p")
    expect(page.locator("[data-sentence]").first).to_be_visible()
    expect(page.locator(".leaf").first).to_be_hidden()
    page.reload()
    expect(page.locator("[data-sentence]").first).to_be_visible()
    page.get_by_role("radio", name="Pages").check(force=True)
    expect(page.locator(".leaf[data-image]").first).to_be_visible()
    page.get_by_role("button", name="Zoom and layout").click()
    page.get_by_role("radio", name="Single").check(force=True)
    page.keyboard.press("Escape")
    expect(page.locator(".leaf")).to_have_count(1)
    page.keyboard.press("PageDown")
    expect(page.locator("lectern-pages")).to_have_attribute("data-page", "2")
    assert page.evaluate(overflow) <= 0


def test_a_page_that_cannot_be_had_says_so_and_is_tried_again(reader, paper):
    reader.context.route("**/pages/*/image*", lambda route: route.abort())
    reader.upload(paper)
    reader.page.locator("a.card-link").filter(has_text="alphabet").click(timeout=30_000)
    leaf = reader.page.locator(".leaf[data-page='0']")
    expect(leaf.get_by_role("alert")).to_contain_text("could not be shown")
    reader.context.unroute_all()
    leaf.get_by_role("button", name="Try again").click()
    expect(reader.page.locator(".leaf[data-page='0'][data-image]")).to_be_visible()
    expect(leaf.get_by_role("alert")).to_have_count(0)


@pytest.fixture
def scanned(tmp_path: Path) -> Callable[..., Path]:
    """A PDF of pictures, with a page of text behind them if that is wanted."""

    def write(name: str, *, pictures: int, with_text: bool = False) -> Path:
        canvas = Canvas(str(tmp_path / name), pagesize=(WIDTH, HEIGHT))
        for grey in range(pictures):
            canvas.setFillGray(0.3 + grey / 10)
            canvas.rect(60, 60, 480, 680, fill=1)
            canvas.showPage()
        if with_text:
            canvas.setFont(FONT, SIZE)
            canvas.drawString(LEFT, TOP, FIRST[0])
            canvas.showPage()
        canvas.save()
        return tmp_path / name

    return write


def test_scanned_pages_are_shown_and_why_there_is_nothing_to_hear(newcomer, scanned):
    person = newcomer(bypass_csp=True)
    person.sign_up()
    person.upload(scanned("Old letters.pdf", pictures=3))
    page = person.page
    expect(page.locator("lectern-document-card")).to_contain_text("nothing to hear", timeout=30_000)
    open_pages(person, "Old letters")
    expect(page.get_by_role("region", name="Player")).to_contain_text("only pictures of pages")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_disabled()
    expect(page.get_by_role("button", name="Play", exact=True)).to_have_accessible_description(
        re.compile(r"text recognition \(OCR\)")
    )
    sharpness(person, 0)
    page.keyboard.press("Space")
    expect(page.get_by_role("status").last).to_contain_text("only pictures of pages")
    page.keyboard.press("p")
    page.keyboard.press("c")
    expect(page.get_by_role("dialog")).to_contain_text("no table of contents")
    page.keyboard.press("Escape")
    page.get_by_label("Go to page").fill("3")
    page.get_by_label("Go to page").press("Enter")
    expect(page.locator(".leaf[data-page='2'][data-image]")).to_contain_text("no text on this page")
    assert violations(page) == []
    assert [line for line in person.console if line.startswith(("error", "pageerror"))] == []


def test_what_is_not_scanned_is_read(reader, scanned):
    reader.upload(scanned("Half a letter.pdf", pictures=1, with_text=True))
    document_id = open_pages(reader, "Half a letter")
    expect(reader.page.get_by_text("1 of 2 pages are pictures")).to_be_visible()
    expect(reader.page.locator(".leaf[data-page='0']")).to_contain_text("no text on this page")
    reader.page.get_by_role("button", name="Play", exact=True).click()
    assert text_of(reader, document_id, until_lit(reader, page=1)["block"]) == FIRST[0]
    reader.pause()
