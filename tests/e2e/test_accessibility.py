"""Pages that anybody can use: axe finds nothing, the keyboard is enough, a phone is wide enough."""

import pytest
from e2e.accessibility import violations
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
