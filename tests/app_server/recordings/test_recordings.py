from typing import Any

import pytest
from app_fixtures.browser import Browser
from app_fixtures.worker import StatefulWorker

from app_server.recordings.orphans import remove_orphaned_recordings
from app_server.recordings.sql_store import SqlRecordingStore
from shared.objects.ports import ObjectStore

SOUND = b"OggS" + bytes(range(256)) * 8


@pytest.fixture
async def recordings(reader: Browser) -> str:
    """The address of a document's recordings."""
    return f"/api/documents/{await reader.add_document()}/recordings"


async def ended(reader: Browser, address: str) -> list[dict[str, Any]]:
    return [event["data"] async for event in reader.events(f"{address}/events")]


async def test_a_recording_is_aligned_and_can_be_heard_and_read(
    reader: Browser, recordings: str, worker: StatefulWorker
) -> None:
    worker.may_finish.clear()
    made = await reader.upload(SOUND, "My_book.opus", to=recordings)
    assert made.status == 201, made.body
    recording = made.json["recording"]
    assert (recording["fileName"], recording["mediaType"]) == ("My_book.opus", "audio/ogg")
    assert (recording["sizeBytes"], recording["state"]) == (len(SOUND), "aligning")
    one = f"{recordings}/{recording['id']}"
    assert (await reader.get(f"{one}/alignment")).code == "RECORDING_NOT_READY"
    told = []
    async for event in reader.events(f"{one}/events"):
        told.append(event["data"])
        worker.may_finish.set()
    assert told[0]["progress"] == {"phase": "aligning", "done": 60, "total": 120}
    assert (told[-1]["state"], told[-1]["progress"]) == ("ready", None)
    assert (await reader.get(recordings)).json["recordings"] == [told[-1]]
    part = await reader.send("GET", f"{one}/audio", headers={"Range": "bytes=4-7"})
    assert (part.status, part.body) == (206, SOUND[4:8])
    assert part.headers["Content-Type"] == "audio/ogg"
    assert (await reader.get(f"{one}/alignment")).json["durationMs"] == 1000
    assert (await reader.get(f"{one}/alignment/sections/0")).json["segments"][0]["endMs"] == 900
    assert (await reader.get(f"{one}/alignment/sections/7")).code == "PART_NOT_FOUND"
    transcript = await reader.get(f"{one}/transcript.vtt")
    assert transcript.body.startswith(b"WEBVTT")
    assert transcript.headers["Content-Type"] == "text/vtt; charset=utf-8"


async def test_a_recording_of_something_else_says_so_and_can_be_tried_again(
    reader: Browser, recordings: str, worker: StatefulWorker
) -> None:
    made = await reader.upload(SOUND + b"of another book", "a.ogg", to=recordings)
    one = f"{recordings}/{made.json['recording']['id']}"
    failed = (await ended(reader, one))[-1]
    assert failed["state"] == "failed"
    assert failed["error"]["code"] == "RECORDING_UNLIKE_TEXT"
    again = await reader.post(f"{one}/retry")
    assert (again.status, again.json["recording"]["state"]) == (202, "aligning")
    assert (await ended(reader, one))[-1]["state"] == "failed"


async def test_an_alignment_is_stopped_and_begun_again(
    reader: Browser, recordings: str, worker: StatefulWorker
) -> None:
    worker.may_finish.clear()
    recording = (await reader.upload(SOUND, "a.ogg", to=recordings)).json["recording"]
    one = f"{recordings}/{recording['id']}"
    stopped = await reader.post(f"{one}/cancel")
    assert stopped.json["recording"]["error"]["code"] == "ALIGNMENT_CANCELLED"
    assert worker.cancelled == [f"align-{recording['id']}"]
    worker.may_finish.set()
    await reader.post(f"{one}/retry")
    assert (await ended(reader, one))[-1]["state"] == "ready"


async def test_a_recording_waits_for_a_worker_that_is_down(
    reader: Browser, recordings: str, worker: StatefulWorker
) -> None:
    await worker.stop()
    made = await reader.upload(SOUND, "a.ogg", to=recordings)
    assert (made.status, made.json["recording"]["state"]) == (201, "aligning")
    await worker.start()
    assert (await ended(reader, f"{recordings}/{made.json['recording']['id']}"))[-1]["state"] == "ready"


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "FILE_EMPTY"), (b"%PDF-1.7", "RECORDING_UNSUPPORTED"), (b"#EXTM3U\n/x", "RECORDING_UNSUPPORTED")],
)
async def test_what_is_no_recording_is_refused_and_not_kept(
    reader: Browser, recordings: str, objects: ObjectStore, content: bytes, code: str
) -> None:
    assert (await reader.upload(content, "a.mp3", to=recordings)).code == code
    assert [found async for found in objects.list("recordings/")] == []


async def test_a_recording_may_be_five_times_as_large_as_an_upload(
    one_megabyte: None, reader: Browser, recordings: str, objects: ObjectStore
) -> None:
    assert (await reader.get(recordings)).json["maxMegabytes"] == 5
    sound = SOUND + bytes(5 * 1024 * 1024 - len(SOUND))
    assert (await reader.upload(sound, "fits.ogg", to=recordings)).status == 201
    answer = await reader.upload(sound + b"1", "a.ogg", to=recordings)
    assert (answer.status, answer.code) == (413, "FILE_TOO_LARGE")
    assert "5 MB" in answer.json["detail"]
    sounds = [found.size_bytes async for found in objects.list("recordings/") if found.key.endswith("/audio")]
    assert sounds == [len(sound)]


async def test_a_document_takes_a_few_recordings(reader: Browser, recordings: str) -> None:
    answers = [await reader.upload(SOUND, f"{number}.ogg", to=recordings) for number in range(9)]
    assert [answer.status for answer in answers] == [201] * 8 + [409]
    assert answers[-1].code == "RECORDINGS_TOO_MANY"


async def test_a_deleted_recording_leaves_nothing(
    reader: Browser, recordings: str, objects: ObjectStore
) -> None:
    recording = (await reader.upload(SOUND, "a.ogg", to=recordings)).json["recording"]
    await ended(reader, f"{recordings}/{recording['id']}")
    assert (await reader.send("DELETE", f"{recordings}/{recording['id']}")).status == 204
    assert (await reader.get(recordings)).json["recordings"] == []
    assert [found async for found in objects.list("recordings/")] == []


async def test_files_whose_document_is_gone_go_too(database: Any, objects: ObjectStore) -> None:
    await objects.put("recordings/" + "a" * 32 + "/audio", SOUND)
    store = SqlRecordingStore(database=database)
    info = await objects.info("recordings/" + "a" * 32 + "/audio")
    assert info is not None
    young, old = int(info.modified_at * 1000) + 1000, int(info.modified_at * 1000) + 25 * 3600 * 1000
    assert await remove_orphaned_recordings(store, objects, now_ms=young) == 0
    assert await remove_orphaned_recordings(store, objects, now_ms=old) == 1
    assert [found async for found in objects.list("recordings/")] == []
