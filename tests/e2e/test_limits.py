"""Limits and tasks in the browser: an administrator sets them, and a listener comes to one."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from e2e.browser import Person
from playwright.sync_api import Browser, Locator, Page, expect

from servers.lectern import LecternInstance, lectern_environment, running_lectern

pytestmark = pytest.mark.e2e

ADMIN, FIRST, OWN = "admin@example.org", "a password from outside", "a password of my own"
STORY = "\n\n".join(
    f"This is paragraph number {number} of a story that nobody may end." for number in range(1, 13)
)
ALLOWANCE = 150  # two paragraphs, and the third that crosses it


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LecternInstance]:
    environment = lectern_environment(BOOTSTRAP_ADMIN_EMAIL=ADMIN, BOOTSTRAP_ADMIN_PASSWORD=FIRST)
    with running_lectern(tmp_path_factory.mktemp("limits"), environment=environment) as running:
        yield running


@pytest.fixture
def new_person(browser: Browser, instance: LecternInstance) -> Iterator[Person]:
    contexts = []

    def arrive() -> Person:
        # axe is a script of ours to run, not of the page
        context = browser.new_context(viewport={"width": 1280, "height": 860}, bypass_csp=True)
        contexts.append(context)
        return Person(context, instance.base_url)

    yield arrive
    for context in contexts:
        context.close()


def open_section(person: Person, section: str) -> Locator:
    person.page.goto(f"{person.base_url}/app/settings/{section}")
    content = person.page.locator(f"lectern-settings-{section}")
    expect(content.locator(".section-body")).to_be_visible()
    expect(content.locator(".section-loading")).to_have_count(0)
    return content


def assert_accessible(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    assert [f"{each['id']}: {each['nodes'][0]['html']}" for each in found] == []


def administrator(person: Person) -> None:
    request, headers = person.context.request, {"Origin": person.base_url}
    for path, body in (
        ("sign-in", {"email": ADMIN, "password": FIRST}),
        ("change-password", {"currentPassword": FIRST, "newPassword": OWN}),
    ):
        answer = request.post(f"{person.base_url}/api/auth/{path}", data=body, headers=headers)
        assert answer.ok, answer.text()


def test_an_allowance_ends_while_listening_and_what_was_spoken_still_plays(new_person, tmp_path: Path):
    admin = new_person()
    administrator(admin)
    limits = open_section(admin, "limits")
    limits.locator("[data-action=tts_synthesis] summary").click()
    limits.get_by_role("switch", name="Limit this: New speech").check()
    allowance = limits.locator('[id="/actions/tts_synthesis/usage/1/limit"]')
    assert_accessible(admin.page)
    # What is wrong is said at its place, by the browser and by the server.
    allowance.fill("0")
    limits.get_by_role("button", name="Save limits").click()
    expect(limits.get_by_text("Enter 1 or more.")).to_be_visible()
    allowance.fill(str(ALLOWANCE))
    limits.get_by_role("button", name="Save limits").click()
    expect(admin.page.get_by_text("The limits have been saved.")).to_be_visible()
    expect(limits.get_by_text("Changed here")).to_be_visible()
    # What nothing goes by is no field.
    audiobooks = limits.locator("[data-action=tts_playback_export]")
    audiobooks.locator("summary").click()
    expect(audiobooks.get_by_text("Lectern makes no audiobooks yet")).to_be_visible()
    expect(audiobooks.locator("input, select, button")).to_have_count(0)
    exports = limits.locator("[data-action=account_export]")
    exports.locator("summary").click()
    expect(exports.get_by_text("Each app server makes one export at a time.")).to_be_visible()
    expect(exports.get_by_label("Priority")).to_have_count(0)
    expect(exports.get_by_label("Queued at most")).to_have_value("20")
    assert_accessible(admin.page)
    # The same document, raw: taken whole or not at all.
    limits.get_by_role("button", name="Raw document").click()
    raw = limits.get_by_label("The whole document (JSON)")
    text = raw.input_value()
    assert f'"limit": {ALLOWANCE}' in text
    raw.fill(text.replace('"schemaVersion": 2', '"schemaVersion": 3'))
    limits.get_by_role("button", name="Save limits").click()
    expect(limits.get_by_role("alert")).to_contain_text("/schemaVersion")
    assert_accessible(admin.page)

    reader = new_person()
    reader.sign_up()
    story = tmp_path / "A long story.txt"
    story.write_text(STORY, encoding="utf-8")
    reader.upload(story)
    reader.open("A long story")
    reader.play()
    notice = reader.page.get_by_text(
        re.compile("Your allowance for today is used up: 150 characters for new speech")
    )
    reader.until(lambda now: "number 3 " in now.sentence, seconds=60)
    expect(notice).to_be_visible(timeout=30_000)
    # From the cache it plays again, and stops at the same place.
    reader.page.locator("[data-sentence]").first.click()
    reader.until(lambda now: now.state == "playing" and "number 1 " in now.sentence)
    reader.pause()
    usage = open_section(reader, "usage")
    expect(usage.get_by_text("New speech")).to_have_count(2)  # as a user, and in this network
    expect(usage.get_by_text(f"Nothing left of {ALLOWANCE} characters")).to_be_visible()
    assert_accessible(reader.page)

    # More is allowed: playing goes on where it stopped.
    open_section(admin, "limits").get_by_role("button", name="Reset to defaults").click()
    admin.page.get_by_role("button", name="Reset", exact=True).click()
    expect(admin.page.get_by_text("The limits have their defaults again.")).to_be_visible()
    reader.page.go_back()
    reader.page.locator("[data-sentence]").filter(has_text="number 5 ").click()
    play = reader.page.get_by_role("button", name="Play", exact=True)
    if play.is_visible():
        play.click()
    reader.until(lambda now: now.state == "playing" and "number 5 " in now.sentence, seconds=20)


def test_an_administrator_turns_tasks_off_and_runs_them(new_person, instance: LecternInstance):
    admin = new_person()
    answer = admin.context.request.post(
        f"{admin.base_url}/api/auth/sign-in",
        data={"email": ADMIN, "password": OWN},
        headers={"Origin": admin.base_url},
    )
    if not answer.ok:  # this test came first
        administrator(admin)
    tasks = open_section(admin, "tasks")
    part = tasks.locator('[data-task="prune-sessions"]')
    expect(part.get_by_text("It has not run yet.").or_(part.get_by_text("Done"))).to_be_visible()
    part.get_by_role("button", name="Run now: Remove expired sessions").click()
    expect(part.get_by_text("Done")).to_be_visible(timeout=20_000)
    part.get_by_role("switch", name="Runs by itself: Remove expired sessions").uncheck()
    expect(part.get_by_text("Next run")).to_have_count(0)
    with admin.page.expect_response(lambda answer: answer.request.method == "PATCH"):
        part.get_by_label("Every: Remove expired sessions").select_option("21600")
    admin.page.reload()
    expect(part.get_by_role("switch", name="Runs by itself: Remove expired sessions")).not_to_be_checked()
    expect(part.get_by_label("Every: Remove expired sessions")).to_have_value("21600")
    assert_accessible(admin.page)
    admin.page.set_viewport_size({"width": 390, "height": 844})
    assert admin.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
