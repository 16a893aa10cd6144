"""The ways into the library: pasted text, a web address, server folders; and correcting what is there."""

import re
from pathlib import Path

import pytest
import reportlab
from axe_playwright_python.sync_playwright import Axe
from books.epubs import epub
from books.locked_pdfs import locked_pdf
from playwright.sync_api import Response, Route, expect

pytestmark = pytest.mark.e2e

TALE = "# A pasted tale\n\nOnce upon a time there was a river.[^1]\n\nIt was long.\n\n[^1]: A small one."
EMMA = "Emma Woodhouse, handsome (they say), clever, and rich."
PLACES = "\n\n".join(f"Street number {n} was quiet (they say), and nobody came." for n in range(1, 40))
FIRST_WORDS = """url => new Promise((resolve) => {
  const source = new EventSource(url);
  source.addEventListener("segment", (event) => {
    const { words } = JSON.parse(event.data);
    if (!words.length) return;
    source.close();
    resolve(words.map(([, , start, end]) => [start, end]));
  });
})"""

SLOW_PATTERN = r"([^\x00-\x7f]+)+[!?]"
WATCH_SOUNDS = """() => {
  window.sounds = [];
  const play = HTMLMediaElement.prototype.play;
  HTMLMediaElement.prototype.play = function () {
    window.sounds.push(this);
    return play.call(this);
  };
}"""

DRAGGED = """files => {
  const dragged = new DataTransfer();
  for (const [name, text] of files) dragged.items.add(new File([text], name));
  return dragged;
}"""


def add_by(page, way):
    page.get_by_role("button", name="Add documents").click()
    page.get_by_role("button", name=way).click()


def choose_what_is_read(reader):
    """The words that the worker announces are those that are lit."""
    page = reader.page
    before = words_announced(reader)
    assert before.count("handsome") == 1
    assert "they" in before

    page.get_by_role("button", name="What is read").click()
    dialog = page.get_by_role("dialog", name="What is read")
    dialog.get_by_label("Text in brackets").uncheck()
    for _ in range(2):  # the first is left empty: the error belongs to the second
        dialog.get_by_role("button", name="Add a rule").click()
    second = dialog.get_by_role("group", name="Rule 2")
    second.get_by_label("Find").select_option("Pattern")
    second.get_by_label("Written").fill("(hand")
    second.get_by_label("Said as").fill("very good looking")
    dialog.get_by_role("button", name="Save").click()
    expect(second.get_by_text("This is no regular expression")).to_be_visible()
    dialog.get_by_role("button", name="Remove rule 1").click()
    dialog.get_by_label("Written").fill("handsome")
    expect(dialog.get_by_role("status")).to_contain_text("Woodhouse, very good looking")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()

    after = words_announced(reader)
    assert after.count("handsome") == 3, "each word of the rule lights what is written"
    assert "they" not in after
    assert "rich" in after
    hear_a_rule(reader)

    page.goto(f"{reader.base_url}/app/settings/pronunciation")
    settings = page.get_by_role("dialog", name="Settings")
    settings.get_by_role("button", name="Add a rule").click()
    settings.get_by_label("Written").fill("Nguyen")
    settings.get_by_label("Said as").fill("Win")
    expect(settings.get_by_role("status").filter(has_text="Dr. Win lives")).to_be_visible()
    settings.get_by_role("button", name="Save rules").click()
    expect(page.get_by_text("Your rules have been saved.")).to_be_visible()
    page.reload()
    expect(settings.get_by_label("Said as")).to_have_value("Win")


def hear_a_rule(reader):
    """It interrupts the voice; what it takes too long on is told beside it."""
    page = reader.page
    page.evaluate(WATCH_SOUNDS)
    reader.play()
    page.get_by_role("button", name="What is read").click()
    dialog = page.get_by_role("dialog", name="What is read")
    with page.expect_request("**/api/tts/voice-preview") as asked:
        dialog.get_by_role("button", name="Hear it").click()
    assert "very good looking" in asked.value.post_data_json["text"]
    page.wait_for_function(
        "() => window.sounds.at(-1)?.src.startsWith('blob:') && window.sounds.at(-1).currentTime > 0"
    )
    reader.until(lambda it: it.state == "paused")
    dialog.get_by_label("Try it on").fill("é" * 300)
    dialog.get_by_label("Find").select_option("Pattern")
    dialog.get_by_label("Written").fill(SLOW_PATTERN)
    expect(dialog.get_by_text("This takes too long on the text below")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("dialog", name="Discard what you wrote?").get_by_role("button", name="Discard").click()
    expect(dialog).to_be_hidden()


def change_what_is_read_while_it_is_read(reader):
    """The voice goes on where it is, by the new options."""
    page = reader.page
    page.goto(f"{reader.base_url}/app")
    reader.open("Places")
    page.get_by_text("Street number 5 was quiet").click()
    reader.until(lambda it: it.state == "playing" and "number 5" in it.sentence)
    page.get_by_role("button", name="What is read").click()
    dialog = page.get_by_role("dialog", name="What is read")
    dialog.get_by_label("Text in brackets").uncheck()
    with page.expect_response(lambda answer: answer.url.endswith("/playback/sessions")) as renewed:
        dialog.get_by_role("button", name="Save").click()
    assert renewed.value.json()["startOrdinal"] >= 4
    reader.watch_words()
    reader.until(lambda it: it.state == "playing" and "number 7" in it.sentence)
    reader.pause()
    lit = [word.strip(" ,.()") for word in reader.lit_words()]
    assert lit
    assert "they" not in lit


def words_announced(reader):
    """Of the first segment, as they are written, in the session that is started now."""
    page = reader.page
    with page.expect_response(lambda answer: answer.url.endswith("/playback/sessions")) as started:
        reader.play()
    reader.pause()
    places = page.evaluate(FIRST_WORDS, started.value.json()["eventsUrl"])
    return [EMMA[start:end].strip(" ,.()") for start, end in places]


def look_at_a_note(reader):
    """It is shown where it stands, and the voice stays where it is."""
    page = reader.page
    page.goto(f"{reader.base_url}/app")
    reader.open("A pasted tale")
    page.locator("lectern-text a[data-target]").first.click()
    expect(page.get_by_text("A small one.")).to_be_in_viewport()
    with page.expect_response(lambda answer: answer.url.endswith("/playback/sessions")) as started:
        page.get_by_role("button", name="Play", exact=True).click()
    assert started.value.json()["startOrdinal"] == 0


def open_what_is_locked(reader, tmp_path):
    page = reader.page
    (tmp_path / "Letter.pdf").write_bytes(locked_pdf("sesame"))
    # A file that is given while the page still asks who is there is kept until it can be sent.
    held: list[Route] = []

    def hold(route: Route) -> None:  # a function of its own, since Playwright marks it
        held.append(route)

    page.route("**/api/auth/session", hold, times=1)
    with page.expect_request("**/api/auth/session"):
        page.goto(f"{reader.base_url}/app")
    reader.upload(tmp_path / "Letter.pdf")
    held.pop().continue_()
    card = page.locator("lectern-document-card").filter(has_text="Letter")
    dialog = page.get_by_role("dialog", name="This document is locked")
    for password, answer in (("guess", "This is not the password"), ("sesame", None)):
        card.get_by_role("button", name="Enter the password").click(timeout=60_000)
        dialog.get_by_label("Password").fill(password)
        dialog.get_by_role("button", name="Open", exact=True).click()
        expect(dialog).to_be_hidden()
        if answer:
            expect(card).to_contain_text(answer, timeout=60_000)
    expect(card.locator("a.card-link")).to_be_visible(timeout=60_000)
    cover = card.locator(".cover img")
    expect(cover).to_be_visible()
    page.wait_for_function("(image) => image.naturalWidth === 480", arg=cover.element_handle())


def drop_several(reader):
    """Files from outside, one of them rubbish: that one alone says what is wrong with it."""
    page = reader.page
    page.goto(f"{reader.base_url}/app")
    expect(page.locator("lectern-document-card").filter(has_text="Letter")).to_be_visible()
    files = [
        ("Lake.txt", "The lake was still."),
        ("Rubbish.epub", "No book at all."),
        ("Hill.md", "# Hill\n\nIt was steep."),
    ]
    dragged = page.evaluate_handle(DRAGGED, files)
    library = page.locator("lectern-library")
    page.dispatch_event("body", "dragenter", {"dataTransfer": dragged})
    expect(library).to_have_attribute("data-dragging", "")
    expect(page.get_by_text("Drop to add to your library")).to_be_visible()
    page.dispatch_event("body", "drop", {"dataTransfer": dragged})
    expect(library).not_to_have_attribute("data-dragging", "")
    failed = page.locator("lectern-upload-list li[data-state=failed]")
    expect(failed).to_have_count(1, timeout=30_000)
    expect(failed).to_contain_text("Rubbish.epub")
    expect(failed.get_by_role("alert")).to_contain_text("isn't one")
    for title in ("Lake", "Hill"):
        card = page.locator("lectern-document-card").filter(has_text=title)
        expect(card.locator("a.card-link")).to_be_visible(timeout=30_000)
    expect(page.locator("lectern-document-card").filter(has_text="Rubbish")).to_have_count(0)


def read_in_the_book_s_own_font(page):
    """Only when it is asked for."""
    fonts: list[Response] = []
    page.on("response", lambda answer: fonts.append(answer) if answer.url.endswith(".ttf") else None)
    text, of_the_book = page.locator(".book-text"), re.compile('^"Book ')
    page.get_by_role("button", name="Appearance").click()
    appearance = page.get_by_role("group", name="Appearance")
    expect(appearance.get_by_role("radio", name="Lectern's")).to_be_checked()
    expect(text).not_to_have_css("font-family", of_the_book)
    assert fonts == []
    appearance.get_by_role("radio", name="The book's").check()
    expect(text).to_have_css("font-family", of_the_book)
    assert page.evaluate("() => [...document.fonts].map(({ status }) => status)") == ["loaded"]
    (font,) = fonts
    assert font.headers["content-type"] == "font/ttf"
    assert font.headers["content-disposition"] == "attachment"
    assert "default-src 'none'" in font.headers["content-security-policy"]
    page.reload()
    expect(text).to_have_css("font-family", of_the_book)
    page.get_by_role("button", name="Appearance").click()
    appearance.get_by_role("radio", name="Lectern's").check()
    expect(text).not_to_have_css("font-family", of_the_book)
    page.keyboard.press("Escape")


def look_at_a_narrated_edition(reader, tmp_path):
    """Who reads it is told where one's own audiobooks are."""
    page = reader.page
    overlay = (
        '<smil xmlns="http://www.w3.org/ns/SMIL" version="3.0"><body><par><text src="a.xhtml#one"/>'
        '<audio src="a.mp3" clipBegin="0s" clipEnd="90s"/></par></body></smil>'
    )
    book = epub(
        {"a.xhtml": '<h1>A narrated tale</h1><p id="one">The river rose.</p>'},
        items='<item id="s" href="s.css" media-type="text/css"/>'
        '<item id="n" href="a.xhtml" media-type="application/xhtml+xml" media-overlay="o"/>'
        '<item id="o" href="a.smil" media-type="application/smil+xml"/>',
        spine='<itemref idref="n"/>',
        metadata='<meta property="media:narrator">Ada Reader</meta>',
        others={
            "OPS/a.smil": overlay,
            "OPS/a.mp3": b"ID3",
            "OPS/s.css": "@font-face { font-family: Vera; src: url(vera.ttf) } body { font-family: Vera }",
            "OPS/vera.ttf": (Path(reportlab.__file__).parent / "fonts" / "Vera.ttf").read_bytes(),
        },
    )
    (tmp_path / "Narrated.epub").write_bytes(book)
    reader.upload(tmp_path / "Narrated.epub")
    reader.open("A Book")
    read_in_the_book_s_own_font(page)
    page.get_by_role("button", name="Your own audiobook").click()
    drawer = page.get_by_role("dialog", name="Your own audiobook")
    expect(drawer).to_contain_text("This is a narrated edition: read by Ada Reader, 2 min.")


def test_everything_that_can_be_added_is_added_and_corrected(reader, lectern_instance, tmp_path):
    page = reader.page
    scripts: list[str] = []
    page.on("request", lambda request: scripts.append(request.url))

    add_by(page, "Paste text")
    dialog = page.get_by_role("dialog", name="Paste text")
    assert any(url.endswith("/adding/text.js") for url in scripts), "loaded only when asked for"
    dialog.get_by_role("button", name="Add to library").click()
    expect(dialog.get_by_text("Paste or type the text here.")).to_be_visible()
    dialog.get_by_label("Text", exact=True).fill(TALE)
    dialog.get_by_label("Kind").select_option("Markdown")
    dialog.get_by_role("button", name="Add to library").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("a.card-link").filter(has_text="A pasted tale")).to_be_visible(timeout=30_000)

    add_by(page, "Paste text")
    dialog.get_by_label("Text", exact=True).fill(TALE)
    dialog.get_by_role("button", name="Add to library").click()
    expect(page.get_by_text("“A pasted tale” is in your library already.")).to_be_visible()

    add_by(page, "Web page")
    dialog = page.get_by_role("dialog", name="Add a web page")
    dialog.get_by_label("Web address").fill(f"{lectern_instance.base_url}/app")
    dialog.get_by_role("button", name="Add to library").click()
    expect(dialog.get_by_role("alert")).to_contain_text("private network")
    # What was typed is not lost by a key, however often it is pressed.
    question = page.get_by_role("dialog", name="Discard what you wrote?")
    for _ in range(2):
        page.keyboard.press("Escape")
        expect(question.get_by_role("button", name="Cancel")).to_be_focused()
        page.keyboard.press("Escape")
        expect(question).to_be_hidden()
    expect(dialog.get_by_label("Web address")).to_have_value(f"{lectern_instance.base_url}/app")
    dialog.get_by_role("button", name="Cancel").click()
    question.get_by_role("button", name="Discard").click()
    expect(dialog).to_be_hidden()
    add_by(page, "Web page")
    expect(dialog.get_by_label("Web address")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()

    library = lectern_instance.workspace / "docstore" / "library"
    (library / "Novels").mkdir(parents=True, exist_ok=True)
    (library / "Novels" / "Emma.txt").write_text(EMMA)
    (library / "Novels" / "Broken.epub").write_text("no book at all")
    (library / "Novels" / "Places.txt").write_text(PLACES)
    (library / "song.mp3").write_text("la")
    add_by(page, "Server folders")
    dialog = page.get_by_role("dialog", name="Server folders")
    expect(dialog.get_by_text("song.mp3")).to_have_count(0)
    dialog.get_by_role("button", name="Novels").click()
    expect(dialog.get_by_label("Emma.txt")).to_be_visible()
    expect(dialog.get_by_role("button", name="Select all")).to_be_visible()
    dialog.get_by_role("button", name="library", exact=True).click()
    dialog.get_by_role("searchbox").fill("emma")
    expect(dialog.get_by_text("1 found")).to_be_visible()
    dialog.get_by_role("searchbox").fill("o")
    expect(dialog.get_by_label("Broken.epub")).to_be_visible()
    dialog.get_by_role("searchbox").fill("")
    dialog.get_by_role("button", name="Novels").click()
    dialog.get_by_role("button", name="Select all").click()
    dialog.get_by_role("button", name="Add 3 documents").click()
    expect(page.get_by_role("alert")).to_contain_text("isn't one")
    card = page.locator("lectern-document-card").filter(has_text="Emma")
    expect(card.locator("a.card-link")).to_be_visible(timeout=30_000)

    card.get_by_role("button", name="Details of").click()
    dialog = page.get_by_role("dialog", name="Details")
    dialog.get_by_label("Title").fill("Emma, a novel")
    dialog.get_by_label("Authors").fill("Jane Austen")
    dialog.get_by_label("Language").fill("English")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_text("Use a language's short name")).to_be_visible()
    dialog.get_by_label("Language").fill("en-GB")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    page.reload()
    expect(page.locator("lectern-document-card").filter(has_text="Jane Austen")).to_be_visible()
    reader.open("Emma, a novel")
    expect(page).to_have_title(re.compile("Emma, a novel"))
    choose_what_is_read(reader)
    change_what_is_read_while_it_is_read(reader)
    look_at_a_note(reader)
    open_what_is_locked(reader, tmp_path)
    drop_several(reader)
    look_at_a_narrated_edition(reader, tmp_path)
    assert [line for line in reader.console if line.startswith("pageerror")] == []


def test_axe_finds_nothing_in_the_dialogs(newcomer, lectern_instance):
    person = newcomer(color_scheme="dark", bypass_csp=True)  # axe is a script of ours to run
    person.sign_up()
    library = lectern_instance.workspace / "docstore" / "library"
    library.mkdir(parents=True, exist_ok=True)
    (library / "Persuasion.txt").write_text("Sir Walter Elliot, of Kellynch Hall.")
    page = person.page
    for way, shown in (
        ("Paste text", "Title"),
        ("Web page", "Web address"),
        ("Server folders", "Persuasion.txt"),
    ):
        add_by(page, way)
        expect(page.get_by_role("dialog").get_by_label(shown)).to_be_visible()
        found = Axe().run(page).response["violations"]
        assert [f"{v['id']}: {v['nodes'][0]['html']}" for v in found] == [], way
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
