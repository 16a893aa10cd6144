"""One browser for a test module, one instance for a test process, one person for each test that asks."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from e2e.browser import Person
from playwright.sync_api import Browser, expect, sync_playwright

from servers.lectern import LecternInstance, lectern_environment, running_lectern

CHROMIUM = "/usr/bin/chromium"
# What comes, comes at once; what is slow here is a busy machine, which is no finding.
expect.set_options(timeout=20_000)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def one_port_instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LecternInstance]:
    """Published under one port: browsers load the audio through the app."""
    environment = lectern_environment()
    environment["COMPUTE_WORKER_PUBLIC_URL"] = environment["BASE_URL"]
    with running_lectern(tmp_path_factory.mktemp("one-port"), environment=environment) as running:
        yield running


@pytest.fixture
def newcomer(browser: Browser, lectern_instance) -> Iterator[Callable[..., Person]]:
    """Call it for each person; each has a browser profile of their own."""
    contexts = []

    def arrive(**options: object) -> Person:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **options})
        contexts.append(context)
        return Person(context, lectern_instance.base_url)

    yield arrive
    for context in contexts:
        context.close()


@pytest.fixture
def reader(newcomer) -> Person:
    """Somebody who has just signed up."""
    person = newcomer()
    person.sign_up()
    return person


@pytest.fixture
def spaced_words(tmp_path: Path) -> Path:
    """A text whose every word stands alone between silences, so that its sound tells where each is."""
    lists = [
        "Alpha, bravo, charlie, delta, foxtrot, golf, hotel.",
        "Juliett, kilo, lima, mike, november, oscar, papa.",
        "Quebec, romeo, sierra, tango, uniform, victor, yankee.",
    ]
    file = tmp_path / "Spaced words.txt"
    file.write_text("\n\n".join(lists * 4), encoding="utf-8")
    return file
