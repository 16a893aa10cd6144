"""What the app asks of a worker again by itself: only reads, and what has a key by which it is done once."""

import asyncio
from collections import Counter
from typing import Any

import pytest
from app_fixtures import worker as small_worker
from app_fixtures.browser import Browser
from app_fixtures.worker import StatefulWorker

from shared.errors import Code, LecternError

SESSIONS = "/api/tts/playback/sessions"
NOT_NOW = LecternError(Code.UNAVAILABLE, "Not now.", reason="BROKER_UNAVAILABLE")


@pytest.fixture
def asked() -> Counter[str]:
    return Counter()


async def restarted(
    worker: StatefulWorker, monkeypatch: pytest.MonkeyPatch, servicer: type, method: str, behavior: Any
) -> None:
    await worker.stop()
    monkeypatch.setattr(servicer, method, behavior)
    await worker.start()


@pytest.mark.parametrize(
    ("servicer", "method", "path", "body"),
    [
        ("_Playback", "CreateSession", SESSIONS, {"start": {"ordinal": 0}}),
        (
            "_Speech",
            "SynthesizePreview",
            "/api/tts/voice-preview",
            {"providerRef": "builtin", "model": "", "voice": "en", "text": "Hello", "language": "en"},
        ),
    ],
)
async def test_a_listeners_own_request_is_asked_of_the_worker_once(
    reader: Browser,
    worker: StatefulWorker,
    monkeypatch: pytest.MonkeyPatch,
    asked: Counter[str],
    servicer: str,
    method: str,
    path: str,
    body: dict[str, Any],
) -> None:
    if path == SESSIONS:
        body = {**body, "documentId": await reader.add_document()}

    async def failing(_self: object, _request: object, _context: object) -> None:
        asked[method] += 1
        raise NOT_NOW

    await restarted(worker, monkeypatch, getattr(small_worker, servicer), method, failing)
    answer = await reader.post(path, body)
    assert (answer.status, answer.code) == (503, "BROKER_UNAVAILABLE")
    assert asked[method] == 1


async def test_a_parsing_whose_answer_was_lost_is_asked_for_again_in_the_same_words_and_done_once(
    reader: Browser, worker: StatefulWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = small_worker._Documents.ParseDocument
    lost = 2

    async def losing_answers(self: Any, request: Any, context: Any) -> Any:
        nonlocal lost
        answer = await take(self, request, context)
        if lost:
            lost -= 1
            raise NOT_NOW
        return answer

    await restarted(worker, monkeypatch, small_worker._Documents, "ParseDocument", losing_answers)
    uploaded = await reader.upload(b"<p>Once.</p>", "a.html")
    assert (await reader.settled(uploaded.json["document"]["id"]))["state"] == "ready"
    assert len(worker.parse_requests) == 3
    assert all(request == worker.parse_requests[0] for request in worker.parse_requests)
    assert len(worker.operations) == 1


async def test_a_stale_parsing_that_was_given_up_is_told_and_one_click_replaces_it(
    reader: Browser, worker: StatefulWorker
) -> None:
    """Workers end what was not heard of for COMPUTE_OP_STALE_MS; who wants it replaces it by a new run."""
    worker.may_finish.clear()
    worker.fails_with = "WORKER_LOST"
    identifier = (await reader.upload(b"<p>Twice.</p>", "a.html")).json["document"]["id"]
    async with asyncio.timeout(20):
        while not worker.operations:
            await asyncio.sleep(0.01)
    worker.may_finish.set()  # the sweep of another worker
    settled = await reader.settled(identifier)
    assert (settled["state"], settled["error"]["code"]) == ("failed", "WORKER_LOST")
    assert len(worker.parse_requests) == 1  # not again by itself
    worker.fails_with = ""
    assert (await reader.post(f"/api/documents/{identifier}/retry")).status == 202
    assert (await reader.settled(identifier))["state"] == "ready"
    assert len(worker.parse_requests) == 2
