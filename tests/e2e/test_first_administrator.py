"""The first administrator signs in, changes the password, and only then is one; all in the browser."""

from collections.abc import Iterator

import pytest
from e2e.browser import Person
from playwright.sync_api import Browser, expect

from servers.lectern import LecternInstance, lectern_environment, running_lectern

pytestmark = pytest.mark.e2e

EMAIL, FIRST, SECOND = "first@example.org", "a password from the environment", "a password of my own choice"


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LecternInstance]:
    environment = lectern_environment(BOOTSTRAP_ADMIN_EMAIL=EMAIL, BOOTSTRAP_ADMIN_PASSWORD=FIRST)
    with running_lectern(tmp_path_factory.mktemp("admin"), environment=environment) as running:
        yield running


def sign_in(person: Person, password: str) -> None:
    person.page.goto(f"{person.base_url}/signin")
    person.page.get_by_label("E-mail").fill(EMAIL)
    person.page.get_by_label("Password").fill(password)
    person.page.get_by_role("button", name="Sign in").click()


def test_rights_become_active_with_a_password_of_ones_own(browser: Browser, instance):
    context = browser.new_context()
    person = Person(context, instance.base_url)
    sign_in(person, FIRST)
    hint = person.page.get_by_text("make your administrator rights active")
    expect(hint).to_be_visible()
    assert person.api("/api/auth/session")["user"]["isAdmin"] is False
    person.page.locator(".must-change").get_by_role("link", name="Change password").click()
    dialog = person.page.get_by_role("dialog", name="Settings")
    dialog.get_by_label("Current password").fill("not this one at all")
    dialog.get_by_label("New password").fill(SECOND)
    dialog.get_by_role("button", name="Change password").click()
    expect(dialog.locator(".field-error, .form-error").filter(has_text="password").first).to_be_visible()
    dialog.get_by_label("Current password").fill(FIRST)
    dialog.get_by_role("button", name="Change password").click()
    expect(dialog.get_by_text("Your password has been changed.")).to_be_visible()
    person.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(hint).to_be_hidden()
    assert person.api("/api/auth/session")["user"]["isAdmin"] is True
    person.page.get_by_role("button", name="Account").click()
    person.page.get_by_role("button", name="Sign out").click()
    person.page.wait_for_url("**/signin")
    sign_in(person, SECOND)
    expect(person.page.get_by_role("heading", name="What would you like to hear?")).to_be_visible()
    context.close()
