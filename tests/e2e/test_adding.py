"""The ways into the library: pasted text, a web address, server folders; and correcting what is there."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e


def add_by(page, way):
    page.get_by_role("button", name="Add documents").click()
    page.get_by_role("button", name=way).click()


def test_everything_that_can_be_added_is_added_and_corrected(reader, lectern_instance):
    page = reader.page
    scripts: list[str] = []
    page.on("request", lambda request: scripts.append(request.url))

    add_by(page, "Paste text")
    dialog = page.get_by_role("dialog", name="Paste text")
    assert any(url.endswith("/adding/text.js") for url in scripts), "loaded only when asked for"
    dialog.get_by_role("button", name="Add to library").click()
    expect(dialog.get_by_text("Paste or type the text here.")).to_be_visible()
    dialog.get_by_label("Text", exact=True).fill("# A pasted tale\n\nOnce upon a time there was a river.")
    dialog.get_by_label("Kind").select_option("Markdown")
    dialog.get_by_role("button", name="Add to library").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("a.card-link").filter(has_text="A pasted tale")).to_be_visible(timeout=30_000)

    add_by(page, "Paste text")
    dialog.get_by_label("Text", exact=True).fill("# A pasted tale\n\nOnce upon a time there was a river.")
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
        expect(question).to_be_visible()
        page.keyboard.press("Escape")
        expect(question).to_be_hidden()
    expect(dialog.get_by_label("Web address")).to_have_value(f"{lectern_instance.base_url}/app")
    dialog.get_by_role("button", name="Cancel").click()
    question.get_by_role("button", name="Discard").click()
    expect(dialog).to_be_hidden()
    add_by(page, "Web page")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()

    library = lectern_instance.workspace / "docstore" / "library"
    (library / "Novels").mkdir(parents=True, exist_ok=True)
    (library / "Novels" / "Emma.txt").write_text("Emma Woodhouse, handsome, clever, and rich.")
    (library / "Novels" / "Broken.epub").write_text("no book at all")
    (library / "song.mp3").write_text("la")
    add_by(page, "Server folders")
    dialog = page.get_by_role("dialog", name="Server folders")
    expect(dialog.get_by_text("song.mp3")).to_have_count(0)
    dialog.get_by_role("button", name="Novels").click()
    expect(dialog.get_by_label("Emma.txt")).to_be_visible()
    dialog.get_by_role("button", name="library", exact=True).click()
    dialog.get_by_role("searchbox").fill("emma")
    expect(dialog.get_by_text("1 found")).to_be_visible()
    dialog.get_by_role("searchbox").fill("o")
    expect(dialog.get_by_label("Broken.epub")).to_be_visible()
    dialog.get_by_role("searchbox").fill("")
    dialog.get_by_role("button", name="Novels").click()
    dialog.get_by_role("button", name="Select all").click()
    dialog.get_by_role("button", name="Add 2 documents").click()
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
