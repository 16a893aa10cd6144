"""An instance set up from nothing by its first administrator, in the browser alone."""

import os
import re
import secrets
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from e2e.browser import Person
from playwright.sync_api import Browser, Locator, Page, expect

from servers.email_service import API_KEY, EmailService, running_email_service
from servers.lectern import LECTERN, LecternInstance, lectern_environment, running_lectern
from servers.ports import free_port
from servers.processes import http_status, started

pytestmark = pytest.mark.e2e

ADMIN, FIRST, SECOND = "first@example.org", "a password from the environment", "a password of my own choice"
READER, READERS_PASSWORD = "reader@example.org", "quite a long password"
ALLOWANCE = 150  # characters: a paragraph, and a second that crosses it
PARAGRAPH = (
    "This is paragraph number {} of a story that is longer than what anybody may have spoken in a day."
)
KEY = f"sk-{secrets.token_hex(12)}"
# Stopping it takes the worker 3.5 s to be found silent, twice over.
CHECKED_MS = 20_000


@pytest.fixture(scope="module")
def speech_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an OpenAI-compatible server that asks for KEY."""
    folder, port = tmp_path_factory.mktemp("speech"), free_port()
    with started(
        [*LECTERN, "speech-server", "--port", str(port)],
        environment={**lectern_environment(), "LECTERN_SPEECH_SERVER_KEY": KEY},
        directory=folder,
        output=folder / "speech-server.log",
        is_ready=lambda: http_status(f"http://127.0.0.1:{port}/health") == 200,
    ):
        yield f"http://127.0.0.1:{port}/v1"


@pytest.fixture(scope="module")
def email_service() -> Iterator[EmailService]:
    with running_email_service() as service:
        yield service


@pytest.fixture(scope="module")
def instance(
    tmp_path_factory: pytest.TempPathFactory, email_service: EmailService
) -> Iterator[LecternInstance]:
    environment = lectern_environment(
        BOOTSTRAP_ADMIN_EMAIL=ADMIN,
        BOOTSTRAP_ADMIN_PASSWORD=FIRST,
        ACCOUNT_EMAIL_API_URL=email_service.url,
    )
    with running_lectern(tmp_path_factory.mktemp("administration"), environment=environment) as running:
        yield running


class Administrator:
    def __init__(self, person: Person) -> None:
        self.person = person
        self.page: Page = person.page

    def sign_in(self, password: str) -> None:
        self.page.goto(f"{self.person.base_url}/signin")
        self.page.get_by_label("E-mail").fill(ADMIN)
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Sign in", exact=True).click()
        expect(self.page.get_by_role("heading", name="What would you like to hear?")).to_be_visible()

    def open(self, section: str) -> Locator:
        """The section's content, once it has loaded."""
        self.page.goto(f"{self.person.base_url}/app/settings/{section}")
        content = self.page.locator(f"lectern-settings-{section}")
        expect(content.locator(".section-body")).to_be_visible()
        expect(content.locator(".section-loading")).to_have_count(0, timeout=CHECKED_MS)
        return content

    def check_until_everything_works(self, system: Locator) -> None:
        """A part that was away is found again within seconds; a check says how it is at that moment."""
        works = system.get_by_text("Everything works.")
        again = system.get_by_role("button", name="Check again")
        deadline = time.monotonic() + 3 * CHECKED_MS / 1000
        while not works.is_visible():
            assert time.monotonic() < deadline, system.inner_text()
            again.click()
            expect(system.locator(".section-loading")).to_have_count(0, timeout=CHECKED_MS)

    def tidy(self) -> None:
        """What is shown now suits everybody, and holds no key."""
        found = Axe().run(self.page).response["violations"]
        assert [f"{each['id']}: {each['nodes'][0]['html']}" for each in found] == []
        assert KEY not in self.page.content()


@pytest.mark.timeout(240)  # a long story; on a busy machine it takes its time
def test_an_instance_is_set_up_from_nothing(
    browser: Browser,
    instance: LecternInstance,
    speech_server: str,
    email_service: EmailService,
    tmp_path: Path,
):
    # axe is a script of ours to run, not of the page
    context = browser.new_context(viewport={"width": 1280, "height": 860}, bypass_csp=True)
    admin = Administrator(Person(context, instance.base_url))
    page = admin.page

    # The first administrator has no rights until the password is another.
    admin.sign_in(FIRST)
    hint = page.get_by_text("make your administrator rights active")
    expect(hint).to_be_visible()
    page.locator(".must-change").get_by_role("link", name="Change password").click()
    account = page.locator("lectern-settings-account")
    expect(page.get_by_role("link", name="Shared providers")).to_have_count(0)
    account.get_by_label("Current password").fill("not this one at all")
    account.get_by_label("New password").fill(SECOND)
    account.get_by_role("button", name="Change password").click()
    expect(account.get_by_text("This isn't your present password.")).to_be_visible()
    account.get_by_label("Current password").fill(FIRST)
    account.get_by_role("button", name="Change password").click()
    expect(page.get_by_role("link", name="Shared providers")).to_be_visible()
    page.keyboard.press("Escape")
    expect(hint).to_be_hidden()

    # A provider: the test explains a wrong key, and hears a word with the right one.
    providers = admin.open("providers")
    expect(providers.get_by_text("There is no shared provider yet.")).to_be_visible()
    providers.get_by_role("button", name="Add a provider").click()
    providers.get_by_label("Slug").fill("Home Server")
    providers.get_by_label("Name", exact=True).fill("At home")
    providers.get_by_label("Base URL").fill(speech_server)
    providers.get_by_label("API key").fill("not-the-key-of-this-one")
    providers.get_by_role("button", name="Save and test").click()
    expect(providers.get_by_text("Write lowercase letters, digits and hyphens")).to_be_visible()
    admin.tidy()
    providers.get_by_label("Slug").fill("home")
    providers.get_by_role("button", name="Save and test").click()
    speaks = providers.locator("[data-check=speak]")
    expect(speaks).to_have_attribute("data-status", "error", timeout=CHECKED_MS)
    expect(speaks).to_contain_text("Enter the provider's API key again")
    providers.get_by_role("button", name="Edit At home").click()
    expect(providers.get_by_text("A key ending in …-one is stored.")).to_be_visible()
    providers.get_by_label("API key").fill(KEY)
    providers.get_by_role("button", name="Save and test").click()
    expect(providers.locator("[data-status=ok]")).to_have_count(3, timeout=CHECKED_MS)
    expect(providers.get_by_text(f"key …{KEY[-4:]}")).to_be_visible()
    admin.tidy()

    # Account e-mail: a wrong key doesn't lock anybody out, and the right one is tried.
    email = admin.open("email")
    email.get_by_label("Send account e-mail").check()
    email.get_by_label("Sender's name").fill("Lectern")
    email.get_by_label("Sender's address").fill("lectern@example.org")
    email.get_by_label("API key").fill("not-the-key-of-this-one")
    email.get_by_role("button", name="Save").click()
    expect(email.get_by_text(f"could be sent to {ADMIN}, so nothing was changed.")).to_be_visible()
    admin.tidy()
    email.get_by_label("API key").fill(API_KEY)
    email.get_by_role("button", name="Save").click()
    expect(email.get_by_text(f"A key ending in …{API_KEY[-4:]} is stored.")).to_be_visible()
    assert email_service.messages[0].recipient == ADMIN
    expect(email.get_by_text("Your own address isn't confirmed yet.")).to_be_visible()
    email_service.wait_for(ADMIN, "Confirm your e-mail address")
    email.get_by_label("Send account e-mail").uncheck()
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        email.get_by_role("button", name="Save").click()
    email.get_by_label("To", exact=True).fill("me@example.org")
    email.get_by_role("button", name="Send a test message").click()
    expect(page.get_by_text("The test message is on its way.")).to_be_visible()
    assert email_service.messages[-1].recipient == "me@example.org"
    assert admin.person.api("/api/admin/email")["enabled"] is False
    admin.tidy()

    # New accounts shall wait for approval.
    features = admin.open("features")
    policy = features.locator("[data-feature=signupPolicy]")
    expect(policy.get_by_text("default", exact=True)).to_be_visible()
    policy.get_by_label("Who may sign up").select_option("approval")
    features.get_by_role("spinbutton", name="Largest upload (MB)").fill("0")
    features.get_by_role("button", name="Save changes").click()
    expect(features.get_by_text("Enter 1 or more.")).to_be_visible()
    features.get_by_role("spinbutton", name="Largest upload (MB)").fill("7")
    features.get_by_role("button", name="Save changes").click()
    expect(policy.get_by_text("set here")).to_be_visible()
    expect(features.get_by_role("button", name="Save changes")).to_be_focused()
    admin.tidy()
    assert admin.person.api("/api/auth/session")["features"]["maxUploadMb"] == 7
    features.get_by_role("button", name="Reset: Largest upload (MB)").click()
    expect(features.get_by_role("spinbutton", name="Largest upload (MB)")).to_have_value("200")

    # A second user waits, is let in, and may come in.
    reader = Person(browser.new_context(), instance.base_url)
    reader.page.goto(f"{instance.base_url}/signup")
    reader.page.get_by_label("E-mail").fill(READER)
    reader.page.get_by_label("Password").fill(READERS_PASSWORD)
    reader.page.get_by_role("button", name="Create account").click()
    expect(reader.page.get_by_role("alert")).to_contain_text("waiting for approval")
    users = admin.open("users")
    expect(users.get_by_text("1 waits for approval")).to_be_visible()
    users.get_by_label("Status").select_option("pending")
    expect(users.get_by_text("1 user")).to_be_visible()
    users.get_by_role("button", name=f"Approve: {READER}").click()
    expect(users.get_by_text("Nobody matches.")).to_be_visible()
    expect(users.get_by_label("Search users")).to_be_focused()
    users.get_by_label("Status").select_option("")
    users.get_by_label("Search users").fill("READER@")
    expect(users.get_by_role("row").filter(has_text=READER)).to_contain_text("Active")
    expect(users.get_by_role("row").filter(has_text=ADMIN)).to_have_count(0)
    admin.tidy()
    reader.page.goto(f"{instance.base_url}/signin")
    reader.page.get_by_label("E-mail").fill(READER)
    reader.page.get_by_label("Password").fill(READERS_PASSWORD)
    reader.page.get_by_role("button", name="Sign in", exact=True).click()
    expect(reader.page.get_by_role("heading", name="What would you like to hear?")).to_be_visible()
    reader.page.goto(f"{instance.base_url}/app/settings/users")
    expect(reader.page.get_by_role("link", name="Users")).to_have_count(0)

    # The reader listens until the day's allowance of new speech ends, and is told so.
    limits = admin.open("limits")
    limits.locator("[data-action=tts_synthesis] summary").click()
    limits.get_by_role("switch", name="Limit this: New speech").check()
    limits.locator('[id="/actions/tts_synthesis/usage/1/limit"]').fill(str(ALLOWANCE))
    limits.get_by_role("button", name="Save limits").click()
    expect(page.get_by_text("The limits have been saved.")).to_be_visible()
    story = tmp_path / "Story.txt"
    story.write_text("\n\n".join(PARAGRAPH.format(number) for number in range(1, 6)))
    reader.page.goto(f"{instance.base_url}/app")
    reader.upload(story)
    reader.open("Story")
    reader.play()
    ended = reader.page.get_by_text(
        f"Your allowance for today is used up: {ALLOWANCE} characters for new speech"
    )
    expect(ended).to_be_visible(timeout=60_000)

    # A task is run by hand.
    task = admin.open("tasks").locator("[data-task=prune-sessions]")
    task.get_by_role("button", name="Run now: Remove expired sessions").click()
    expect(task.get_by_text("Done")).to_be_visible(timeout=CHECKED_MS)

    # Suspended, the reader is out at once; deleted, gone.
    users = admin.open("users")
    users.get_by_label("Search users").fill(READER)
    expect(users.get_by_role("row").filter(has_text=READER)).to_contain_text("1 document")
    expect(users.get_by_text("characters spoken today")).to_be_visible()
    users.get_by_role("button", name=f"Suspend: {READER}").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Suspend")).last.click()
    expect(users.get_by_role("row").filter(has_text=READER)).to_contain_text("Suspended")
    assert reader.api("/api/auth/session")["user"] is None
    users.get_by_role("button", name=f"Delete: {READER}").click()
    page.get_by_role("button", name="Delete user").click()
    expect(users.get_by_text("Nobody matches.")).to_be_visible()

    # Everything works, until the worker stands still; then the check says what to do.
    system = admin.open("system")
    admin.check_until_everything_works(system)
    expect(system.locator("[data-status=ok]")).to_have_count(13)
    worker = instance.child_pid("worker")
    assert worker is not None
    os.kill(worker, signal.SIGSTOP)
    try:
        system.get_by_role("button", name="Check again").click()
        for part in ("worker-grpc", "worker-gateway", "browser-worker"):
            expect(system.locator(f"[data-check={part}]")).to_have_attribute(
                "data-status", "error", timeout=CHECKED_MS
            )
        expect(system.locator("[data-check=worker-grpc]")).to_contain_text("EMBEDDED_COMPUTE_WORKER_PORT")
        expect(system.locator("[data-check=database]")).to_have_attribute("data-status", "ok")
        admin.tidy()
    finally:
        os.kill(worker, signal.SIGCONT)
    system.get_by_role("button", name="Check again").click()
    expect(system.locator(".section-loading")).to_have_count(0, timeout=CHECKED_MS)
    admin.check_until_everything_works(system)

    # All of it is on record.
    audit = admin.open("audit")
    table = audit.get_by_role("table")
    for said in (
        "deleted the user",
        "suspended",
        "approved",
        "changed “Who may sign up”",
        "added the provider home",
    ):
        expect(table.get_by_text(said).first).to_be_visible()
    for kind, said in (("limits", "changed the compute limits"), ("task", "prune-sessions")):
        audit.get_by_label("What").select_option(kind)
        expect(audit.get_by_text("1 entry")).to_be_visible()
        expect(table.get_by_text(said)).to_be_visible()
    audit.get_by_label("What").select_option("provider")
    expect(audit.get_by_text("2 entries")).to_be_visible()
    admin.tidy()
    assert [line for line in admin.person.console if line.startswith("pageerror")] == []
    reader.context.close()
    context.close()
