import asyncio
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import ClientPayloadError
from app_fixtures.browser import Browser, Instance
from app_fixtures.worker import StatefulWorker

from lectern.compute.v1 import playback_pb2 as pb
from shared.configuration.app_settings import AppSettings
from shared.playback_token import PlaybackTokens

SESSIONS = "/api/tts/playback/sessions"


async def start(browser: Browser, document_id: str, **settings: Any) -> Any:
    body = {
        "documentId": document_id,
        "start": {"ordinal": 0},
        "settings": {"providerRef": "builtin", **settings},
    }
    answer = await browser.post(SESSIONS, body)
    assert answer.status == 201, answer.body
    return answer.json


async def test_a_session_starts_with_what_the_listener_asked_for(
    reader: Browser, worker: StatefulWorker
) -> None:
    document_id = await reader.add_document()
    body = {
        "documentId": document_id,
        "start": {"locator": {"blockId": "0-1", "offset": 5}},
        "settings": {"providerRef": "builtin", "voice": "en+f2", "nativeSpeed": 1.5, "language": "en-GB"},
        "options": {"maxSegmentCharacters": 300},
    }
    answer = await reader.post(SESSIONS, body)
    assert answer.status == 201
    request = worker.sessions[answer.json["sessionId"]]
    assert (request.start.block.block_id, request.start.block.offset) == ("0-1", 5)
    assert (request.settings.voice, request.settings.native_speed) == ("en+f2", 1.5)
    assert request.options.max_segment_characters == 300
    assert request.background_extent == pb.EXTENT_SECTION
    assert request.reading_ref.startswith("reading/")
    assert answer.json["settings"]["language"] == "en-GB"


async def test_the_audio_address_carries_a_token_for_this_session_and_nothing_secret(
    reader: Browser, settings: AppSettings, clock: Any
) -> None:
    session = await start(reader, await reader.add_document())
    tokens = PlaybackTokens(secret=settings.worker.playback_token_secret, clock=lambda: clock() / 1000)
    for address in (session, (await reader.post(f"{SESSIONS}/{session['sessionId']}/audio-url", {})).json):
        url = address["audioUrl"]
        assert url.startswith(
            f"http://localhost:8081/v1/tts-playback/sessions/{session['sessionId']}/audio?token="
        )
        assert tokens.allows(parse_qs(urlsplit(url).query)["token"][0], session["sessionId"])
        assert settings.worker.token not in url
        assert address["audioExpiresAt"].endswith("Z")


async def test_a_session_belongs_to_who_started_it(instance: Instance, worker: StatefulWorker) -> None:
    ada, eve = await instance.new_reader("ada@example.org"), await instance.new_reader("eve@example.org")
    session = await start(ada, await ada.add_document())
    one = f"{SESSIONS}/{session['sessionId']}"
    for method, path, body in (
        ("GET", session["planUrl"], None),
        ("GET", session["eventsUrl"], None),
        ("POST", one + "/cursor", {"ordinal": 0, "playing": True}),
        ("POST", one + "/cancel", {}),
        ("POST", one + "/audio-url", {}),
    ):
        answer = await eve.send(method, path, json=body)
        assert (answer.status, answer.code) == (404, "PLAYBACK_SESSION_NOT_FOUND"), path
    assert worker.cursors == []


async def test_anothers_document_cannot_be_played(instance: Instance) -> None:
    ada, eve = await instance.new_reader("ada@example.org"), await instance.new_reader("eve@example.org")
    body = {"documentId": await ada.add_document(), "start": {"ordinal": 0}}
    answer = await eve.post(SESSIONS, body)
    assert (answer.status, answer.code) == (404, "DOCUMENT_NOT_FOUND")


async def test_the_plan_is_asked_for_once(reader: Browser) -> None:
    session = await start(reader, await reader.add_document())
    outline = await reader.get(session["planUrl"])
    assert "segments" not in outline.json["sections"][0]
    plan = await reader.get(session["planUrl"] + "?section=0")
    assert plan.json["sections"][0]["segments"] == [
        {
            "ordinal": 0,
            "blockId": "0-0",
            "start": 0,
            "end": 6,
            "firstSentence": 0,
            "sentenceCount": 1,
            "pauseFrames": 20,
        }
    ]
    headers = {"If-None-Match": plan.headers["ETag"]}
    assert (await reader.get(session["planUrl"] + "?section=0", headers=headers)).status == 304
    assert (await reader.get(session["planUrl"], headers=headers)).status == 200
    refused = await reader.get(session["planUrl"] + "?section=x")
    assert (refused.status, refused.json["errors"][0]["field"]) == (422, "section")


async def test_events_are_relayed_and_resumed_where_they_broke_off(
    reader: Browser, worker: StatefulWorker
) -> None:
    session = await start(reader, await reader.add_document())
    identifier = session["sessionId"]
    words = [pb.Word(start_ms=40, end_ms=300, char_start=0, char_end=5)]
    await worker.announce(identifier, segment=pb.SegmentEvent(ordinal=0, frames=20, words=words, exact=True))
    await worker.announce(identifier, state=pb.StateEvent(state=pb.GENERATION_STATE_COMPLETE))
    seen = await first_events(reader, session["eventsUrl"], 2)
    assert seen[0] == {
        "id": "1",
        "event": "segment",
        "data": {
            "ordinal": 0,
            "frames": 20,
            "pauseFrames": 0,
            "exact": True,
            "failed": False,
            "cached": False,
            "words": [[40, 300, 0, 5]],
        },
    }
    assert (seen[1]["event"], seen[1]["data"]) == ("state", {"state": "complete"})
    await worker.announce(identifier, problem=pb.ProblemEvent(code="X", message="No.", ordinal=0))
    resumed = await first_events(reader, session["eventsUrl"], 1, after="2")
    assert resumed[0]["id"] == "3"
    assert resumed[0]["data"] == {"code": "X", "message": "No.", "retryable": False, "ordinal": 0}


async def test_a_listener_hears_on_from_a_restarted_worker(reader: Browser, worker: StatefulWorker) -> None:
    session = await start(reader, await reader.add_document())
    identifier = session["sessionId"]
    await worker.announce(identifier, state=pb.StateEvent(state=pb.GENERATION_STATE_GENERATING))
    seen = []
    async for event in reader.events(session["eventsUrl"]):
        seen.append(event["id"])
        if len(seen) == 1:
            await worker.stop()
            await worker.start()
            await worker.announce(identifier, state=pb.StateEvent(state=pb.GENERATION_STATE_WAITING))
        else:
            break
    assert seen == ["1", "2"]


async def first_events(browser: Browser, path: str, count: int, after: str = "") -> list[Any]:
    seen = []
    async for event in browser.events(path, **({"Last-Event-ID": after} if after else {})):
        seen.append({name: event[name] for name in ("id", "event", "data")})
        if len(seen) == count:
            break
    return seen


async def test_the_cursor_and_the_end_reach_the_worker(reader: Browser, worker: StatefulWorker) -> None:
    session = await start(reader, await reader.add_document())
    one = f"{SESSIONS}/{session['sessionId']}"
    assert (await reader.post(one + "/cursor", {"ordinal": 7, "playing": True})).status == 204
    assert (worker.cursors[0].ordinal, worker.cursors[0].playing) == (7, True)
    assert (await reader.post(one + "/cancel", {})).status == 204
    assert worker.cancelled == [session["sessionId"]]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"start": {}}, 422),
        ({"start": {"ordinal": -1}}, 422),
        ({"start": {"ordinal": 0, "locator": {"blockId": "0-0"}}}, 422),
        ({"settings": {"providerRef": "nobody"}}, 404),
        ({"settings": {"nativeSpeed": 9}}, 422),
        ({"options": {"maxSegmentCharacters": 5}}, 422),
        ({"unknown": 1}, 422),
        ({"documentId": "none"}, 404),
    ],
)
async def test_what_makes_no_sense_is_refused(reader: Browser, change: dict[str, Any], status: int) -> None:
    body = {"documentId": await reader.add_document(), "start": {"ordinal": 0}, **change}
    assert (await reader.post(SESSIONS, body)).status == status


async def test_trouble_with_the_worker_signs_nobody_out(reader: Browser, worker: StatefulWorker) -> None:
    body = {"documentId": await reader.add_document(), "start": {"ordinal": 0}}
    worker.refuses_token = True
    refused = await reader.post(SESSIONS, body)
    await worker.stop()
    unreachable = await reader.post(SESSIONS, body)
    for answer in (refused, unreachable):
        assert (answer.status, answer.code) == (503, "WORKER_UNAVAILABLE")
        assert "127.0.0.1" not in answer.json["detail"]


async def test_a_queue_that_is_too_long_is_told_to_who_uploads_and_to_who_listens(
    reader: Browser, worker: StatefulWorker
) -> None:
    document_id = await reader.add_document()
    worker.is_crowded = True
    answer = await reader.post(SESSIONS, {"documentId": document_id, "start": {"ordinal": 0}})
    assert (answer.status, answer.code) == (429, "QUEUE_LIMIT_REACHED")
    uploaded = await reader.upload(b"<p>One more.</p>", "more.html")
    settled = await reader.settled(uploaded.json["document"]["id"])
    assert (settled["state"], settled["error"]["code"]) == ("failed", "QUEUE_LIMIT_REACHED")
    assert settled["error"]["retryable"]


async def test_voices_and_a_preview(reader: Browser) -> None:
    providers = (await reader.get("/api/tts/shared-providers")).json
    assert providers["default"] == "builtin"
    assert providers["providers"][0]["displayName"] == "Built-in voice"
    voices = (await reader.get("/api/tts/voices?providerRef=builtin")).json
    assert voices == {
        "voices": [{"voiceId": "en", "name": "English", "language": "en"}],
        "defaultVoice": "en",
        "model": "",
        "models": ["large", "small"],
    }
    body = {"providerRef": "builtin", "model": "", "voice": "en", "text": "Hello", "language": "en"}
    preview = await reader.post("/api/tts/voice-preview", body)
    assert (preview.headers["Content-Type"], preview.body) == ("audio/mpeg", b"\xff\xf3Hello")
    assert (await reader.post("/api/tts/voice-preview", {**body, "text": "x" * 401})).status == 422


async def test_open_event_streams_end_when_the_app_stops(new_instance: Any) -> None:
    async with asyncio.timeout(20), new_instance() as instance:
        reader = await instance.new_reader("ada@example.org")
        session = await start(reader, await reader.add_document())
        response = await reader.opened(session["eventsUrl"]).__aenter__()
        assert response.status == 200
        started = asyncio.get_running_loop().time()
        await instance.app.shutdown()
        with pytest.raises(ClientPayloadError):  # cut, so that the browser asks again
            await response.content.read()
        assert asyncio.get_running_loop().time() - started < 3
        response.close()
