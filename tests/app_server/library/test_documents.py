import asyncio
import hashlib
import json
from typing import Any

import pytest
from app_fixtures.browser import Browser, Instance
from app_fixtures.worker import PICTURE, StatefulWorker

from app_server.wiring.application import open_app
from shared.configuration.app_settings import AppSettings
from shared.objects.ports import ObjectStore

STORY = b"<!doctype html><title>Story</title><p>Once upon a time.</p>"


async def keys(objects: ObjectStore, prefix: str) -> list[str]:
    return sorted([found.key async for found in objects.list(prefix)])


async def test_an_uploaded_file_becomes_a_ready_document(reader: Browser, objects: ObjectStore) -> None:
    answer = await reader.upload(STORY, "my_story.html")
    assert answer.status == 201
    document = answer.json["document"]
    assert (document["title"], document["fileName"]) == ("my story", "my_story.html")
    assert (document["format"], document["sizeBytes"]) == ("html", len(STORY))
    ready = await reader.settled(document["id"])
    assert ready["state"] == "ready"
    assert (ready["title"], ready["authors"]) == ("A Title of Its Own", ["Somebody"])
    assert (ready["characterCount"], ready["sectionCount"]) == (len(STORY), 1)
    listed = (await reader.get("/api/documents")).json["documents"]
    assert listed == [ready]
    stored = await objects.get(f"documents/{hashlib.sha256(STORY).hexdigest()}")
    assert stored == STORY
    assert await keys(objects, "uploads/") == []


async def test_the_newest_document_comes_first(reader: Browser, clock: Any) -> None:
    for number in range(3):
        await reader.upload(b"%d" % number, f"{number}.txt")
        clock.turn(seconds=1)
    listed = (await reader.get("/api/documents")).json["documents"]
    assert [document["fileName"] for document in listed] == ["2.txt", "1.txt", "0.txt"]


async def test_progress_is_told_while_it_is_parsed(reader: Browser, worker: StatefulWorker) -> None:
    worker.may_finish.clear()
    identifier = (await reader.upload(STORY, "a.html")).json["document"]["id"]
    states = []
    async for event in reader.events(f"/api/documents/{identifier}/events"):
        states.append(event["data"]["state"])
        if event["data"]["progress"]:
            assert event["data"]["progress"] == {"phase": "sections", "done": 1, "total": 2}
            worker.may_finish.set()
    assert states[0] == "processing"
    assert states[-1] == "ready"


async def test_a_parsers_error_is_shown_in_its_own_words_and_can_be_retried(
    reader: Browser, worker: StatefulWorker
) -> None:
    identifier = await reader.add_document(b"unreadable", "a.txt")
    failed = (await reader.get(f"/api/documents/{identifier}")).json["document"]
    assert failed["state"] == "failed"
    assert failed["error"] == {"code": "BOOK_DAMAGED", "message": "This book is damaged.", "retryable": False}
    runs = len(worker.parse_requests)
    retried = await reader.post(f"/api/documents/{identifier}/retry")
    assert (retried.status, retried.json["document"]["error"]) == (202, None)
    assert (await reader.settled(identifier))["state"] == "failed"
    assert len(worker.parse_requests) > runs


async def test_a_document_waits_for_a_worker_that_is_down(reader: Browser, worker: StatefulWorker) -> None:
    await worker.stop()
    identifier = (await reader.upload(STORY, "a.html")).json["document"]["id"]
    assert (await reader.get(f"/api/documents/{identifier}")).json["document"]["state"] == "processing"
    await worker.start()
    assert (await reader.settled(identifier))["state"] == "ready"


async def test_a_lost_operation_is_begun_anew(reader: Browser, worker: StatefulWorker) -> None:
    worker.may_finish.clear()
    identifier = (await reader.upload(STORY, "a.html")).json["document"]["id"]
    while not worker.operations:
        await asyncio.sleep(0.01)
    await worker.stop()
    worker.operations.clear()
    worker.may_finish.set()
    await worker.start()
    assert (await reader.settled(identifier))["state"] == "ready"


async def test_a_restarted_app_takes_up_what_was_being_parsed(
    settings: AppSettings, worker: StatefulWorker, new_instance: Any
) -> None:
    worker.may_finish.clear()
    async with new_instance() as first:
        reader = await first.new_reader("ada@example.org")
        identifier = (await reader.upload(STORY, "a.html")).json["document"]["id"]
    worker.may_finish.set()
    async with open_app(settings), asyncio.timeout(20):  # nobody has a browser open
        while worker.operations and not any(op.result_ref for op in worker.operations.values()):
            await asyncio.sleep(0.02)
    async with new_instance() as second:
        reader = await second.new_browser()
        await reader.enter("sign-in", "ada@example.org")
        assert (await reader.settled(identifier))["state"] == "ready"


async def test_nobody_sees_or_touches_anothers_document(instance: Instance) -> None:
    ada, eve = await instance.new_reader("ada@example.org"), await instance.new_reader("eve@example.org")
    one = f"/api/documents/{await ada.add_document()}"
    position = {"segmentOrdinal": 0, "blockId": "0-0", "offset": 0, "section": 0, "fraction": 0.0}
    for method, path, body in (
        ("GET", one, None),
        ("DELETE", one, None),
        ("POST", one + "/retry", None),
        ("PUT", one + "/position", position),
        ("GET", one + "/events", None),
        ("GET", one + "/reading", None),
        ("GET", one + "/sections/0", None),
        ("GET", one + "/resources/cover.png", None),
    ):
        answer = await eve.send(method, path, json=body)
        assert (answer.status, answer.code) == (404, "DOCUMENT_NOT_FOUND"), path
    assert (await eve.get("/api/documents")).json == {"documents": []}
    assert (await ada.get(one)).status == 200


async def test_everything_needs_a_session(browser: Browser) -> None:
    for method, path in (
        ("GET", "/api/documents"),
        ("POST", "/api/documents"),
        ("GET", "/api/documents/x/reading"),
    ):
        answer = await browser.send(method, path)
        assert (answer.status, answer.code) == (401, "NOT_SIGNED_IN")


async def test_equal_bytes_are_stored_once_and_parsed_once(
    instance: Instance, objects: ObjectStore, worker: StatefulWorker
) -> None:
    ada, eve = await instance.new_reader("ada@example.org"), await instance.new_reader("eve@example.org")
    answers = await asyncio.gather(
        *(browser.upload(STORY, f"{number}.html") for number in range(3) for browser in (ada, eve))
    )
    assert {answer.status for answer in answers} == {201}
    for browser in (ada, eve):
        documents = (await browser.get("/api/documents")).json["documents"]
        assert len(documents) == 1
        assert (await browser.settled(documents[0]["id"]))["state"] == "ready"
    assert len(await keys(objects, "documents/")) == 1
    assert await keys(objects, "uploads/") == []
    assert len(worker.operations) == 1


async def test_files_go_with_their_last_owner(instance: Instance, objects: ObjectStore) -> None:
    ada, eve = await instance.new_reader("ada@example.org"), await instance.new_reader("eve@example.org")
    first, second = await ada.add_document(STORY, "a.html"), await eve.add_document(STORY, "b.html")
    assert (await ada.send("DELETE", f"/api/documents/{first}")).status == 204
    assert (await eve.get(f"/api/documents/{second}/reading")).status == 200
    assert (await eve.send("DELETE", f"/api/documents/{second}")).status == 204
    assert await keys(objects, "documents/") == await keys(objects, "reading/") == []
    again = await ada.add_document(STORY, "a.html")
    assert (await ada.get(f"/api/documents/{again}/reading")).status in {200, 409}


async def test_deleting_while_parsing_stops_the_work(reader: Browser, worker: StatefulWorker) -> None:
    worker.may_finish.clear()
    identifier = (await reader.upload(STORY, "a.html")).json["document"]["id"]
    async for event in reader.events(f"/api/documents/{identifier}/events"):
        if event["data"]["progress"]:
            break
    assert (await reader.send("DELETE", f"/api/documents/{identifier}")).status == 204
    assert worker.cancelled == list(worker.operations)


async def test_reading_files_come_as_they_lie_and_are_revalidated(reader: Browser) -> None:
    identifier = await reader.add_document()
    reading = await reader.get(f"/api/documents/{identifier}/reading")
    assert reading.headers["Content-Encoding"] == "gzip"
    assert reading.json["title"] == "A Title of Its Own"
    assert reading.headers["Cache-Control"] == "private, no-cache"
    again = await reader.get(
        f"/api/documents/{identifier}/reading", headers={"If-None-Match": reading.headers["ETag"]}
    )
    assert (again.status, again.body) == (304, b"")
    plain = await reader.get(
        f"/api/documents/{identifier}/sections/0", headers={"Accept-Encoding": "identity"}
    )
    assert "Content-Encoding" not in plain.headers
    assert plain.json == {
        "html": "<p>Hello.</p>",
        "blocks": [{"id": "0-0", "text": "Hello."}],
    }


@pytest.mark.parametrize(
    "part",
    ["sections/7", "resources/none.png", "resources/..%2Fdocument.json.gz", "sections/x", "resources/.x"],
)
async def test_a_part_that_is_not_there_is_404(reader: Browser, part: str) -> None:
    identifier = await reader.add_document()
    assert (await reader.get(f"/api/documents/{identifier}/{part}")).status == 404


async def test_a_picture_out_of_a_book_can_do_nothing_but_be_seen(reader: Browser) -> None:
    identifier = await reader.add_document()
    cover = (await reader.get(f"/api/documents/{identifier}")).json["document"]["cover"]
    picture = await reader.get(cover)
    assert (picture.body, picture.headers["Content-Type"]) == (PICTURE, "image/png")
    assert picture.headers["X-Content-Type-Options"] == "nosniff"
    assert picture.headers["Content-Security-Policy"].endswith("sandbox")


async def test_a_document_still_parsed_cannot_be_read(reader: Browser, worker: StatefulWorker) -> None:
    worker.may_finish.clear()
    identifier = (await reader.upload(STORY, "a.html")).json["document"]["id"]
    answer = await reader.get(f"/api/documents/{identifier}/reading")
    assert (answer.status, answer.code) == (409, "DOCUMENT_NOT_READY")


async def test_a_position_is_kept(reader: Browser) -> None:
    one = f"/api/documents/{await reader.add_document()}"
    for fraction in (0.25, 0.5):
        position = {"segmentOrdinal": 3, "blockId": "0-1", "offset": 4, "section": 0, "fraction": fraction}
        assert (await reader.send("PUT", one + "/position", json=position)).status == 204
    kept = (await reader.get(one)).json["document"]["position"]
    assert {**kept, "updatedAt": ""} == {**position, "updatedAt": ""}
    bad = {**position, "fraction": 2}
    assert (await reader.send("PUT", one + "/position", json=bad)).status == 422
    nan = json.dumps(position).replace("0.5", "NaN")
    answer = await reader.send(
        "PUT", one + "/position", data=nan, headers={"Content-Type": "application/json"}
    )
    assert answer.status in {400, 422}


async def test_a_locked_document_opens_with_its_password(reader: Browser, worker: StatefulWorker) -> None:
    identifier = (await reader.upload(b"a locked drawer", "drawer.txt")).json["document"]["id"]
    locked = await reader.settled(identifier)
    assert (locked["state"], locked["error"]["code"]) == ("failed", "PASSWORD_REQUIRED")
    path = f"/api/documents/{identifier}/password"
    empty = await reader.post(path, {"password": ""})
    assert (empty.status, empty.json["errors"][0]["field"]) == (422, "password")
    answer = await reader.post(path, {"password": "guess"})
    assert (answer.status, answer.json["document"]["state"]) == (202, "processing")
    assert (await reader.settled(identifier))["error"]["code"] == "PASSWORD_WRONG"
    assert (await reader.post(path, {"password": "sesame"})).status == 202
    assert (await reader.settled(identifier))["state"] == "ready"
    assert [request.password for request in worker.parse_requests] == ["", "guess", "sesame"]
    late = await reader.post(path, {"password": "sesame"})
    assert (late.status, late.code) == (409, "DOCUMENT_NOT_LOCKED")


async def test_passwords_are_not_tried_without_end(
    reader: Browser, worker: StatefulWorker, clock: Any
) -> None:
    drawer = (await reader.upload(b"a locked drawer", "drawer.txt")).json["document"]["id"]
    chest = (await reader.upload(b"a locked chest", "chest.txt")).json["document"]["id"]
    await reader.settled(chest)
    for number in range(5):
        await reader.settled(drawer)
        assert (
            await reader.post(f"/api/documents/{drawer}/password", {"password": f"{number}"})
        ).status == 202
    await reader.settled(drawer)
    refused = await reader.post(f"/api/documents/{drawer}/password", {"password": "sesame"})
    assert (refused.status, refused.code) == (429, "TOO_MANY_ATTEMPTS")
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert "Try again in" in refused.json["detail"]
    assert len(worker.parse_requests) == 7
    assert (await reader.post(f"/api/documents/{chest}/password", {"password": "x"})).status == 202
    clock.turn(seconds=61)
    assert (await reader.post(f"/api/documents/{drawer}/password", {"password": "sesame"})).status == 202
    assert (await reader.settled(drawer))["state"] == "ready"


async def test_nobody_tries_a_password_on_anothers_file(instance: Instance, worker: StatefulWorker) -> None:
    ada, eve = await instance.new_reader("ada@example.org"), await instance.new_reader("eve@example.org")
    identifier = (await ada.upload(b"a locked drawer", "drawer.txt")).json["document"]["id"]
    await ada.settled(identifier)
    answer = await eve.post(f"/api/documents/{identifier}/password", {"password": "sesame"})
    assert (answer.status, answer.code) == (404, "DOCUMENT_NOT_FOUND")
    assert len(worker.parse_requests) == 1
