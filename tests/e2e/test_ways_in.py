"""Coming in without a password: as a guest, at a provider; and when accounts aren't for everybody."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from e2e.browser import Person
from playwright.sync_api import Browser, expect

from servers.identity_provider.process import ADA, IdentityProviderServer
from servers.lectern import LecternInstance, lectern_environment, running_lectern

pytestmark = pytest.mark.e2e

ADMIN, PASSWORD = "admin@example.org", "a password from the environment"


@pytest.fixture(scope="module")
def instance(
    tmp_path_factory: pytest.TempPathFactory, identity_provider_server: IdentityProviderServer
) -> Iterator[LecternInstance]:
    environment = lectern_environment(
        USE_ANONYMOUS_AUTH_SESSIONS="true",
        OIDC_PROVIDER_NAME="Our school",
        BOOTSTRAP_ADMIN_EMAIL=ADMIN,
        BOOTSTRAP_ADMIN_PASSWORD=PASSWORD,
        **identity_provider_server.oidc_variables,
    )
    with running_lectern(tmp_path_factory.mktemp("ways-in"), environment=environment) as running:
        yield running


@pytest.fixture
def arrive(browser: Browser, instance: LecternInstance) -> Iterator[Callable[[], Person]]:
    contexts = []

    def new() -> Person:
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 860}, bypass_csp=True))
        return Person(contexts[-1], instance.base_url)

    # axe is a script of ours to run, not of the page: hence bypass_csp.
    yield new
    for context in contexts:
        context.close()


def violations(person: Person) -> list[str]:
    found = Axe().run(person.page).response["violations"]
    return [f"{item['id']}: {item['nodes'][0]['target']}" for item in found]


def test_a_guest_listens_and_takes_everything_into_an_account(
    arrive: Callable[[], Person], tmp_path: Path
) -> None:
    story = tmp_path / "The lantern.txt"
    story.write_text("She set the lamp upon the sill. Far below, the harbour lights came on.\n" * 20, "utf-8")
    person = arrive()
    page = person.page
    page.goto(f"{person.base_url}/")
    expect(page.get_by_role("button", name="Try without an account")).to_be_visible()
    assert violations(person) == []
    page.get_by_role("button", name="Try without an account").click()
    expect(page.get_by_text("You are here as a guest.")).to_be_visible()
    person.upload(story)
    document = person.open("The lantern")
    person.play()
    person.until(lambda heard: heard.word)
    person.pause()
    page.goto(f"{person.base_url}/app")
    assert violations(person) == []
    page.get_by_role("button", name="Account").click()
    page.get_by_role("link", name="Create an account", exact=True).click()
    expect(page.get_by_text("come along into your account")).to_be_visible()
    expect(page.get_by_role("button", name="Try without an account")).to_have_count(0)
    assert violations(person) == []
    page.get_by_label("E-mail").fill("guest@example.org")
    page.get_by_label("Password").fill("quite a long password")
    page.get_by_role("button", name="Create account").click()
    page.wait_for_url("**/app")
    expect(page.get_by_text("You are here as a guest.")).to_be_hidden()
    assert person.api("/api/auth/session")["user"]["email"] == "guest@example.org"
    assert person.api(f"/api/documents/{document}")["document"]["position"]
    person.open("The lantern")
    person.play()


def test_a_guest_who_leaves_is_asked_first(arrive: Callable[[], Person]) -> None:
    person = arrive()
    page = person.page
    page.goto(f"{person.base_url}/signin")
    page.get_by_role("button", name="Try without an account").click()
    page.get_by_role("button", name="Account").click()
    page.get_by_role("button", name="Leave and delete everything").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Cancel").click()
    assert person.api("/api/auth/session")["user"]["kind"] == "anonymous"
    page.get_by_role("button", name="Account").click()
    page.get_by_role("button", name="Leave and delete everything").click()
    dialog.get_by_role("button", name="Leave and delete").click()
    expect(page.get_by_role("heading", name="read aloud")).to_be_visible()
    assert person.api("/api/auth/session")["user"] is None


def test_signing_in_at_a_provider_and_its_place_in_the_settings(
    arrive: Callable[[], Person], identity_provider: IdentityProviderServer
) -> None:
    person = arrive()
    page = person.page
    page.goto(f"{person.base_url}/app/settings/sign-in")
    identity_provider.be(error="access_denied")
    page.get_by_role("button", name="Continue with Our school").click()
    page.get_by_role("button", name="Go on as Ada").click()
    expect(page.get_by_role("alert").filter(has_text="cancelled")).to_be_visible()
    assert violations(person) == []
    identity_provider.be(ADA)
    page.get_by_role("button", name="Continue with Our school").click()
    page.get_by_role("button", name="Go on as Ada").click()
    # Where one wanted to go in the first place.
    page.wait_for_url("**/app/settings/sign-in")
    section = page.get_by_role("dialog")
    expect(section.get_by_text("Our school")).to_be_visible()
    expect(section.get_by_text("The only way")).to_be_visible()
    assert person.api("/api/auth/session")["user"]["email"] == "ada@example.org"


def test_a_way_in_is_added_and_removed_in_the_settings(
    arrive: Callable[[], Person], identity_provider: IdentityProviderServer
) -> None:
    identity_provider.be({**ADA, "sub": "grace", "email": "grace@elsewhere.example", "name": "Grace"})
    person = arrive()
    page = person.page
    page.goto(f"{person.base_url}/signup?next=/app/settings/sign-in")
    page.get_by_label("E-mail").fill("grace@example.org")
    page.get_by_label("Password").fill("quite a long password")
    page.get_by_role("button", name="Create account").click()
    page.get_by_role("button", name="Add Our school").click()
    page.get_by_role("button", name="Go on as Grace").click()
    expect(page.get_by_text("You can sign in with Our school now.")).to_be_visible()
    expect(page.get_by_text("grace@elsewhere.example")).to_be_visible()
    assert "linked" not in page.url
    page.get_by_role("button", name="Remove Our school").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("grace@elsewhere.example")).to_have_count(0)
    expect(page.get_by_role("button", name="Add Our school")).to_be_visible()


def test_approval_and_closed_doors_are_told(
    arrive: Callable[[], Person], identity_provider: IdentityProviderServer
) -> None:
    admin = arrive()
    api = admin.context.request
    headers = {"Origin": admin.base_url}
    entered = {"email": ADMIN, "password": PASSWORD}
    changed = {"currentPassword": PASSWORD, "newPassword": "another one of my own"}
    assert api.post(f"{admin.base_url}/api/auth/sign-in", data=entered, headers=headers).ok
    assert api.post(f"{admin.base_url}/api/auth/change-password", data=changed, headers=headers).ok

    def set_policy(policy: str) -> None:
        answer = api.patch(
            f"{admin.base_url}/api/admin/features", data={"signupPolicy": policy}, headers=headers
        )
        assert answer.ok, answer.text()

    set_policy("approval")
    person = arrive()
    page = person.page
    page.goto(f"{person.base_url}/signup")
    expect(page.get_by_text("An administrator approves new accounts")).to_be_visible()
    page.get_by_label("E-mail").fill("patient@example.org")
    page.get_by_label("Password").fill("quite a long password")
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", name="Your account is waiting for approval")).to_be_visible()
    assert violations(person) == []
    page.get_by_role("link", name="Back to sign-in").click()
    identity_provider.be({**ADA, "sub": "new", "email": "new@example.org", "name": "New"})
    page.get_by_role("button", name="Continue with Our school").click()
    page.get_by_role("button", name="Go on as New").click()
    expect(page.get_by_role("heading", name="Your account is waiting for approval")).to_be_visible()
    set_policy("closed")
    page.goto(f"{person.base_url}/")
    expect(page.get_by_text("takes no new accounts")).to_be_visible()
    expect(page.get_by_role("link", name="Create an account")).to_be_hidden()
    page.goto(f"{person.base_url}/signup")
    expect(page.get_by_role("heading", name="This Lectern takes no new accounts")).to_be_visible()
    expect(page.get_by_label("E-mail")).to_be_hidden()
    page.get_by_role("link", name=re.compile("Sign in")).click()
    expect(page.get_by_label("E-mail")).to_be_visible()
    set_policy("open")


def test_without_sign_in_there_is_only_the_library(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    environment = lectern_environment(AUTH_MODE="single-user")
    with running_lectern(tmp_path_factory.mktemp("single-user"), environment=environment) as instance:
        person = Person(browser.new_context(), instance.base_url)
        page = person.page
        page.goto(f"{instance.base_url}/signin")
        expect(page.get_by_role("heading", name="What would you like to hear?")).to_be_visible()
        page.get_by_role("button", name="Account").click()
        expect(page.get_by_text("Only you use this Lectern")).to_be_visible()
        expect(page.get_by_role("button", name="Sign out")).to_have_count(0)
        page.get_by_role("link", name="Settings").click()
        settings = page.get_by_role("dialog")
        expect(settings.get_by_role("link", name="Site features")).to_be_visible()
        for section in ("Account", "Ways to sign in"):
            expect(settings.get_by_role("link", name=section, exact=True)).to_have_count(0)
        person.context.close()
