"""An instance whose first provider comes from API_BASE, API_KEY and API_MODEL_NAME, heard in the browser."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e.browser import Person
from playwright.sync_api import Browser, expect

from servers.lectern import LECTERN, LecternInstance, lectern_environment, running_lectern
from servers.ports import free_port
from servers.processes import http_status, started

pytestmark = pytest.mark.e2e

KEY = f"provider-key-{secrets.token_hex(12)}"


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LecternInstance]:
    folder = tmp_path_factory.mktemp("custom")
    port = free_port()
    environment = lectern_environment(
        API_BASE=f"http://127.0.0.1:{port}/v1", API_KEY=KEY, API_MODEL_NAME="tts-test", LOG_LEVEL="debug"
    )
    with (
        started(
            [*LECTERN, "speech-server", "--port", str(port)],
            environment={**environment, "LECTERN_SPEECH_SERVER_KEY": KEY},
            directory=folder,
            output=folder / "speech-server.log",
            is_ready=lambda: http_status(f"http://127.0.0.1:{port}/health") == 200,
        ),
        running_lectern(folder / "workspace", environment=environment) as running,
    ):
        yield running


def test_a_bootstrapped_provider_is_the_default_and_speaks(browser: Browser, instance, spaced_words: Path):
    context = browser.new_context()
    person = Person(context, instance.base_url)
    person.sign_up()
    assert person.api("/api/tts/shared-providers")["default"] == "default-provider"
    person.upload(spaced_words)
    person.open("Spaced words")
    person.play()
    heard = person.until(lambda it: it.state == "playing" and it.sentence)
    assert "Alpha" in heard.sentence
    person.page.get_by_role("button", name="Voice").click()
    dialog = person.page.get_by_role("dialog")
    expect(dialog).to_contain_text("en-us")
    model = dialog.get_by_label("Model")
    expect(model).to_have_value("tts-test")
    model.select_option("espeak-ng")
    expect(dialog).to_contain_text("en-us")
    expect(model).to_have_value("espeak-ng")
    context.close()


def test_its_key_is_in_no_log_and_no_file(instance):
    assert KEY not in instance.said()
    for file in instance.workspace.rglob("*"):
        if file.is_file():
            assert KEY.encode() not in file.read_bytes(), file
