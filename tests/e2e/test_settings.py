"""The settings dialog: addresses, the back button, the keyboard, a phone."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e


def test_settings_are_a_dialog_with_an_address(reader):
    page, dialog = reader.page, reader.page.get_by_role("dialog", name="Settings")
    scripts: list[str] = []
    page.on("request", lambda request: scripts.append(request.url))
    page.get_by_role("button", name="Account", exact=True).click()
    page.get_by_role("link", name="Settings").click()
    expect(dialog.get_by_role("heading", name="Account", exact=True)).to_be_visible()
    assert any(url.endswith("/settings/shell.js") for url in scripts), "loaded only when asked for"
    expect(page).to_have_url(re.compile("/app/settings$"))
    dialog.get_by_role("link", name="Account", exact=True).click()
    expect(page).to_have_url(re.compile("/app/settings/account$"))
    expect(page).to_have_title("Account · Settings · Lectern")
    page.reload()
    expect(dialog.get_by_label("Current password")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page).to_have_url(re.compile("/app$"))


def test_back_closes_the_settings_and_focus_returns(reader):
    page, dialog = reader.page, reader.page.get_by_role("dialog", name="Settings")
    page.get_by_role("button", name="Account", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Settings").focus()
    page.keyboard.press("Enter")
    expect(dialog.get_by_label("Current password")).to_be_visible()
    page.go_back()
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name="Account", exact=True)).to_be_focused()
    expect(page).to_have_title("Library · Lectern")
    page.go_forward()
    expect(dialog).to_be_visible()


def test_only_a_click_beside_the_settings_closes_them(reader):
    page, dialog = reader.page, reader.page.get_by_role("dialog", name="Settings")
    page.goto(f"{reader.base_url}/app/settings/account")
    field = dialog.get_by_label("New address")
    field.fill("half an addr")
    box = field.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(5, 400)  # text is selected to its beginning, and beyond
    page.mouse.up()
    expect(field).to_have_value("half an addr")
    page.mouse.click(5, 400)
    expect(dialog).to_be_hidden()


def test_a_phone_has_a_list_and_then_a_section(newcomer):
    person = newcomer(viewport={"width": 390, "height": 844})
    person.sign_up()
    page, dialog = person.page, person.page.get_by_role("dialog", name="Settings")
    page.goto(f"{person.base_url}/app/settings")
    dialog.get_by_role("link", name="Account", exact=True).click()
    expect(dialog.get_by_label("Current password")).to_be_visible()
    expect(dialog.get_by_role("navigation", name="Settings")).to_be_hidden()
    dialog.get_by_role("button", name="All settings").click()
    expect(dialog.get_by_role("link", name="Account", exact=True)).to_be_visible()
    expect(dialog.get_by_label("Current password")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_an_unknown_section_says_so(reader):
    reader.page.goto(f"{reader.base_url}/app/settings/nonsense")
    expect(reader.page.get_by_role("dialog").get_by_text("no such section")).to_be_visible()
