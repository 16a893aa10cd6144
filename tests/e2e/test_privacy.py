"""What is one person's is nobody else's."""

import re

import pytest

pytestmark = pytest.mark.e2e


def test_two_people_see_and_hear_nothing_of_each_other(newcomer, spaced_words):
    first, second = newcomer(), newcomer()
    first.sign_up()
    second.sign_up()
    first.upload(spaced_words)
    document_id = first.open("Spaced words")
    with first.page.expect_response(re.compile("/api/tts/playback/sessions$")) as answer:
        first.play()
    session = answer.value.json()
    assert second.api("/api/documents") == {"documents": []}
    request = second.context.request
    for path in ("", "/reading", "/sections/0", "/events"):
        assert request.get(f"{second.base_url}/api/documents/{document_id}{path}").status == 404
    origin = {"Origin": second.base_url}
    assert request.delete(f"{second.base_url}/api/documents/{document_id}", headers=origin).status == 404
    for path in (session["planUrl"], session["eventsUrl"]):
        assert request.get(second.base_url + path).status == 404
    own = f"{second.base_url}/api/tts/playback/sessions/{session['sessionId']}"
    assert request.post(f"{own}/audio-url", headers=origin).status == 404
    assert request.post(f"{own}/cursor", headers=origin, data={"ordinal": 0, "playing": True}).status == 404
    stolen = re.sub(r"token=[^&]*", "token=", session["audioUrl"])
    assert request.get(stolen).status == 403
    second.page.goto(f"{second.base_url}/read/{document_id}")
    second.page.get_by_text(
        re.compile("not (be )?found|no such|does not exist|isn.t here", re.IGNORECASE)
    ).first.wait_for()


def test_nobody_gets_in_without_signing_in(newcomer):
    person = newcomer()
    for path in ("/app", "/read/whatever"):
        person.page.goto(person.base_url + path)
        assert "/signin" in person.page.url
    assert person.context.request.get(f"{person.base_url}/api/documents").status == 401
