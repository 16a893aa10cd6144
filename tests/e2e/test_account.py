"""One account's life in the browser, with real messages: from signing up to leaving nothing behind."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e.accessibility import violations
from playwright.sync_api import Browser, BrowserContext, Page, expect

from servers.email_service import API_KEY, EmailService, running_email_service
from servers.lectern import LecternInstance, lectern_environment, running_lectern

pytestmark = pytest.mark.e2e

FIRST, SECOND, THIRD = "ada@example.org", "ada@new.example.org", "a password of my own"
PASSWORD = "quite a long password"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"


@pytest.fixture
def email_service() -> Iterator[EmailService]:
    with running_email_service() as service:
        yield service


@pytest.fixture
def instance(tmp_path: Path, email_service: EmailService) -> Iterator[LecternInstance]:
    sender = {"senderName": "Lectern", "senderEmail": "lectern@example.org", "apiKey": API_KEY}
    environment = lectern_environment(
        ACCOUNT_EMAIL_API_URL=email_service.url,
        RUNTIME_SEED_JSON=json.dumps({"version": 1, "accountEmail": {"enabled": True, **sender}}),
    )
    with running_lectern(tmp_path / "lectern", environment=environment) as running:
        yield running


@pytest.fixture
def contexts(browser: Browser) -> Iterator[list[BrowserContext]]:
    """Of two devices."""
    opened = [browser.new_context(bypass_csp=True), browser.new_context(user_agent=FIREFOX)]
    yield opened
    for context in opened:
        context.close()


def sign_in(page: Page, base_url: str, email: str, password: str) -> None:
    page.goto(f"{base_url}/signin")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def stored_files(instance: LecternInstance) -> list[Path]:
    """What of documents and exports the embedded object store holds."""
    return [
        path
        for path in instance.workspace.rglob("*")
        if path.is_file() and {"documents", "exports", "reading"} & set(path.parts)
    ]


def test_an_account_from_its_first_message_to_its_end(
    instance: LecternInstance,
    email_service: EmailService,
    contexts: list[BrowserContext],
    spaced_words: Path,
) -> None:
    base_url, page = instance.base_url, contexts[0].new_page()
    in_library = re.compile("/app$")

    # Signing up: nobody is in before the address is confirmed.
    page.goto(f"{base_url}/signup")
    page.get_by_label("E-mail").fill(FIRST)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", name="Look into your inbox")).to_be_focused()
    sign_in(page, base_url, FIRST, PASSWORD)
    expect(page.get_by_text("Confirm your e-mail address first")).to_be_visible()
    page.goto(email_service.wait_for(FIRST, "Confirm your e-mail address").link)
    assert violations(page) == []
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("heading", name="Your address is confirmed")).to_be_focused()
    assert "#" not in page.url, "the link's secret leaves the address bar"
    sign_in(page, base_url, FIRST, PASSWORD)
    expect(page).to_have_url(in_library)
    expect(page.get_by_role("heading", name="What would you like to hear?")).to_be_visible()
    page.locator("input[type=file]").set_input_files(str(spaced_words))
    expect(page.locator("a.card-link")).to_be_visible(timeout=30_000)

    # Another address: it counts when its inbox has said so.
    dialog = page.get_by_role("dialog", name="Settings")
    page.goto(f"{base_url}/app/settings/account")
    expect(dialog.get_by_text("Confirmed", exact=True)).to_be_visible()
    assert violations(page) == []
    form = dialog.locator(".email-form")
    form.get_by_label("New address").fill(SECOND)
    form.get_by_label("Password").fill("not my password")
    form.get_by_role("button", name="Change address").click()
    expect(form.get_by_text("This isn't your present password.")).to_be_visible()
    form.get_by_label("Password").fill(PASSWORD)
    form.get_by_role("button", name="Change address").click()
    expect(dialog.get_by_text("is on its way to")).to_contain_text(SECOND)
    page.goto(email_service.wait_for(SECOND, "Confirm your new e-mail address").link)
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("heading", name="Your address has been changed")).to_be_visible()
    email_service.wait_for(FIRST, "Your e-mail address was changed")

    # A forgotten password, from another device: the reset signs out everywhere.
    other = contexts[1].new_page()
    other.goto(f"{base_url}/signin")
    other.get_by_role("link", name="Forgot your password?").click()
    other.get_by_label("E-mail").fill(SECOND)
    other.get_by_role("button", name="Send the link").click()
    expect(other.get_by_role("heading", name="Look into your inbox")).to_be_visible()
    link = email_service.wait_for(SECOND, "Choose a new password").link
    other.goto(link)
    other.get_by_label("New password").fill(THIRD)
    other.get_by_role("button", name="Change password").click()
    expect(other.get_by_role("heading", name="Your password has been changed")).to_be_visible()
    other.goto("about:blank")  # only the part behind the hash sign would differ
    other.goto(link)
    other.get_by_label("New password").fill(THIRD)
    other.get_by_role("button", name="Change password").click()
    expect(other.get_by_role("heading", name="This link no longer works")).to_be_visible()
    page.goto(f"{base_url}/app")
    expect(page).to_have_url(re.compile("/signin"))

    # Both devices sign in; one sees the other and signs it out.
    sign_in(other, base_url, SECOND, THIRD)
    expect(other).to_have_url(in_library)
    sign_in(page, base_url, SECOND, THIRD)
    expect(page).to_have_url(in_library)
    page.goto(f"{base_url}/app/settings/sessions")
    expect(dialog.get_by_role("listitem").filter(has_text="This device")).to_contain_text("Chrome on Linux")
    assert violations(page) == []
    dialog.get_by_role("button", name="Sign out Firefox on Linux").click()
    page.get_by_role("dialog", name="Sign this device out?").get_by_role("button", name="Sign out").click()
    expect(dialog.get_by_role("region", name="Devices").get_by_role("listitem")).to_have_count(1)
    other.goto(f"{base_url}/app")
    expect(other).to_have_url(re.compile("/signin"))

    # A token for a program, which is shown once and works.
    dialog.get_by_role("link", name="API tokens").click()
    dialog.get_by_role("button", name="Create token").click()
    expect(dialog.get_by_text("Choose at least one thing")).to_be_visible()
    dialog.get_by_label("Name").fill("My script")
    dialog.get_by_label("Read documents").check()
    dialog.get_by_role("button", name="Create token").click()
    token = dialog.locator(".secret code").inner_text()
    headers = {"Authorization": f"Bearer {token}"}
    assert contexts[1].request.get(f"{base_url}/api/documents", headers=headers).ok
    assert violations(page) == []
    dialog.get_by_role("button", name="Revoke My script").click()
    page.get_by_role("dialog", name="Revoke").get_by_role("button", name="Revoke").click()
    expect(dialog.get_by_text("You have no API tokens.")).to_be_visible()
    assert contexts[1].request.get(f"{base_url}/api/documents", headers=headers).status == 401

    # Taking everything along.
    dialog.get_by_role("link", name="Your data").click()
    dialog.get_by_role("button", name="Start an export").click()
    with page.expect_download() as downloading:
        dialog.get_by_role("link", name="Download").click(timeout=20_000)
    packed = zipfile.ZipFile(io.BytesIO(downloading.value.path().read_bytes()))
    assert packed.testzip() is None
    assert packed.read("documents/Spaced words.txt") == spaced_words.read_bytes()
    assert json.loads(packed.read("data/users.json"))[0]["email"] == SECOND
    assert violations(page) == []

    # Leaving.
    assert stored_files(instance)
    dialog.get_by_label("Your password").fill(THIRD)
    dialog.get_by_role("button", name="Delete my account").click()
    question = page.get_by_role("dialog", name="Delete your account?")
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_be_hidden()
    dialog.get_by_role("button", name="Delete my account").click()
    question.get_by_role("button", name="Delete for good").click()
    expect(page).to_have_url(f"{base_url}/")
    assert stored_files(instance) == []
    sign_in(page, base_url, SECOND, THIRD)
    expect(page.get_by_text("The e-mail address or the password is wrong.")).to_be_visible()
