"""COMPUTE_WORKER_PUBLIC_URL as operators write it: where browsers are sent, and that the page lets them."""

import pytest
from app_fixtures.browser import Browser

SESSIONS = "/api/tts/playback/sessions"


@pytest.fixture
def environment(environment: dict[str, str], written: str) -> dict[str, str]:
    return environment | {"COMPUTE_WORKER_PUBLIC_URL": written}


@pytest.mark.parametrize(
    ("written", "address", "origin"),
    [
        ("https://worker.example.org", "https://worker.example.org", "https://worker.example.org"),
        ("https://worker.example.org/", "https://worker.example.org", "https://worker.example.org"),
        # behind a proxy that serves the worker below a path of its own
        ("https://example.org/worker/", "https://example.org/worker", "https://example.org"),
        ("https://worker.example.org:443", "https://worker.example.org:443", "https://worker.example.org"),
        ("http://[::1]:8081", "http://[::1]:8081", "http://[::1]:8081"),
    ],
)
async def test_sound_is_loaded_from_where_the_operator_says_and_nowhere_else(
    reader: Browser, address: str, origin: str
) -> None:
    body = {
        "documentId": await reader.add_document(),
        "start": {"ordinal": 0},
        "settings": {"providerRef": "builtin"},
    }
    session = (await reader.post(SESSIONS, body)).json
    path = f"/v1/tts-playback/sessions/{session['sessionId']}/audio?token="
    assert session["audioUrl"].startswith(address + path)
    policy = (await reader.get("/app")).headers["Content-Security-Policy"]
    assert f"media-src 'self' blob: {origin};" in policy
