"""Pages that anybody can use: axe finds nothing, the keyboard is enough, a phone is wide enough."""

import pytest
from e2e.accessibility import violations
from e2e.pdf_files import write_pdf
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(newcomer, spaced_words, scheme):
    person = newcomer(color_scheme=scheme, bypass_csp=True)  # axe is a script of ours to run, not of the page
    person.page.goto(f"{person.base_url}/signin")
    expect(person.page.get_by_role("button", name="Sign in")).to_be_visible()
    assert violations(person.page) == []
    person.sign_up()
    assert violations(person.page) == []
    person.upload(spaced_words)
    expect(person.page.locator("a.card-link")).to_be_visible()
    assert violations(person.page) == []
    person.open("Spaced words")
    person.play()
    assert violations(person.page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_pages_of_a_pdf_and_in_what_is_opened_over_them(newcomer, tmp_path, scheme):
    person = newcomer(color_scheme=scheme, bypass_csp=True)
    person.sign_up()
    page = person.page
    person.upload(
        write_pdf(
            tmp_path / "Leaflet.pdf", "Alpha opens the story, and bravo follows.", "Charlie is silent."
        ),
        write_pdf(tmp_path / "Sealed letter.pdf", "Only for your eyes.", password="sesame"),
    )
    page.get_by_role("button", name="Enter the password").click(timeout=30_000)
    assert violations(page) == []
    page.get_by_role("dialog").get_by_label("Password").fill("open sesame")
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.get_by_text("This is not the password that opens this PDF.")).to_be_visible()
    assert violations(page) == []

    page.locator("a.card-link").filter(has_text="Leaflet").click()
    expect(page.locator(".leaf[data-image][data-text]")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Zoom and layout").click()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".lit-word")).to_be_visible()
    person.pause()
    assert violations(page) == []
    page.get_by_role("button", name="Contents").click()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="What is read").click()
    dialog = page.get_by_role("dialog", name="What is read")
    dialog.get_by_role("button", name="Add a rule").click()
    dialog.get_by_label("Written").fill("(story")
    dialog.get_by_label("Find").select_option("Pattern")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_text("This is no regular expression")).to_be_visible()
    assert violations(page) == []

    page.goto(f"{person.base_url}/app/settings/pronunciation")
    page.get_by_role("button", name="Add a rule").click()
    assert violations(page) == []


def test_the_keyboard_alone_plays_and_pauses(reader, spaced_words):
    reader.upload(spaced_words)
    reader.open("Spaced words")
    reader.page.keyboard.press("Space")
    reader.until(lambda it: it.state == "playing" and it.word)
    reader.page.keyboard.press("Space")
    reader.until(lambda it: it.state == "paused")
    reader.page.keyboard.press("?")
    expect(reader.page.get_by_role("dialog")).to_be_visible()


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_wider_than_the_screen(newcomer, spaced_words, width):
    person = newcomer(viewport={"width": width, "height": 740})
    person.sign_up()
    person.upload(spaced_words)
    person.open("Spaced words")
    overflow = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert person.page.evaluate(overflow) <= 0
    person.page.goto(f"{person.base_url}/app")
    expect(person.page.locator("a.card-link").first).to_be_visible()
    assert person.page.evaluate(overflow) <= 0
