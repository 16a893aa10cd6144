"""COMPUTE_WORKER_PUBLIC_URL may be BASE_URL itself: the audio comes through the app's own port."""

import pytest
from e2e.browser import Person

pytestmark = pytest.mark.e2e


def test_the_browser_hears_through_the_apps_own_port(browser, one_port_instance, spaced_words):
    context = browser.new_context()
    person = Person(context, one_port_instance.base_url)
    person.sign_up()
    person.upload(spaced_words)
    person.open("Spaced words")
    person.play()
    heard = person.until(lambda it: it.word)
    assert heard.src.startswith(one_port_instance.base_url)
    context.close()
