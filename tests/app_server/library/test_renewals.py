"""Documents that an older parser read: they stay readable, are read again when opened, and keep the place."""

import asyncio
from typing import Any

import pytest
from app_fixtures.browser import Browser, Instance
from app_fixtures.worker import StatefulWorker

from shared.readings import PARSER_VERSION, can_be_renewed

FIRST = "It was a bright cold day in April, and the clocks were striking thirteen."
SECOND = "Winston Smith slipped quickly through the glass doors of the building."
PLACE = {"segmentOrdinal": 1, "blockId": "0-1", "offset": 14, "section": 0, "fraction": 0.6}


@pytest.fixture
async def old_document(reader: Browser, worker: StatefulWorker) -> str:
    """Read by the parser before, with its reader in the middle of the second paragraph."""
    worker.parser_version, worker.paragraphs = "1", [FIRST, SECOND]
    identifier = await reader.add_document()
    await reader.send("PUT", f"/api/documents/{identifier}/position", json=PLACE)
    worker.parser_version = PARSER_VERSION
    return identifier


async def shown(reader: Browser, identifier: str) -> dict[str, Any]:
    return dict((await reader.get(f"/api/documents/{identifier}")).json["document"])


async def renew(reader: Browser, identifier: str) -> dict[str, Any]:
    """As it is when nothing is done with it any more."""
    answer = await reader.send("POST", f"/api/documents/{identifier}/renewal")
    assert answer.status == 202
    return await reader.settled(identifier)


async def first_block(reader: Browser, identifier: str) -> str:
    section = await reader.get(f"/api/documents/{identifier}/sections/0")
    return str(section.json["blocks"][0]["text"])


async def test_a_document_is_read_again_and_keeps_the_place_of_its_reader(
    reader: Browser, worker: StatefulWorker, old_document: str
) -> None:
    assert (await shown(reader, old_document))["isOutdated"]
    worker.paragraphs = ["A title", "April", f"{FIRST} {SECOND}"]
    renewed = await renew(reader, old_document)
    assert (renewed["isOutdated"], renewed["state"], renewed["progress"]) == (False, "ready", None)
    assert await first_block(reader, old_document) == "A title"
    place = renewed["position"]
    assert (place["blockId"], place["offset"], place["fraction"]) == ("0-2", len(FIRST) + 1 + 14, 0.6)
    assert not worker.parse_requests[-1].retry


async def test_until_it_is_read_again_it_can_be_read_as_it_was(
    reader: Browser, worker: StatefulWorker, old_document: str
) -> None:
    worker.may_finish.clear()
    worker.paragraphs = ["Another cut"]
    answer = await reader.send("POST", f"/api/documents/{old_document}/renewal")
    assert answer.json["document"]["state"] == "ready"
    async with asyncio.timeout(10):
        while ((await shown(reader, old_document))["progress"] or {}).get("phase") != "sections":
            await asyncio.sleep(0.01)
    assert await first_block(reader, old_document) == FIRST
    worker.may_finish.set()
    assert not (await renew(reader, old_document))["isOutdated"]
    assert await first_block(reader, old_document) == "Another cut"
    assert len(worker.parse_requests) == 2  # once for each parser, however often it is asked for


async def test_whoever_reads_the_old_one_goes_on_with_it(
    reader: Browser, worker: StatefulWorker, old_document: str
) -> None:
    worker.paragraphs = ["Another cut"]
    await renew(reader, old_document)
    path = f"/api/documents/{old_document}/sections/0?parser="
    assert (await reader.get(path + "1")).json["blocks"][1]["text"] == SECOND
    assert (await reader.get(path + PARSER_VERSION)).json["blocks"][0]["text"] == "Another cut"
    assert (await reader.get(path + "77")).code == "READING_REPLACED"
    assert (await reader.get(path + "../1")).status == 422


async def test_a_page_that_was_opened_before_plays_what_it_shows(
    reader: Browser, worker: StatefulWorker, old_document: str
) -> None:
    worker.paragraphs = ["A title", FIRST, SECOND]
    await renew(reader, old_document)
    start = {"locator": {"blockId": "0-1", "offset": 14}}
    played = {}
    for parser in ("1", PARSER_VERSION, ""):
        request = {"documentId": old_document, "start": start, "parser": parser}
        answer = await reader.send("POST", "/api/tts/playback/sessions", json=request)
        assert answer.status == 201
        played[parser] = worker.sessions[answer.json["sessionId"]].reading_ref.split("/")[2]
    assert played["1"] == "1-" + played[""].partition("-")[2]
    assert played[PARSER_VERSION] == played[""] == f"{PARSER_VERSION}-any"
    refused = await reader.send(
        "POST",
        "/api/tts/playback/sessions",
        json={"documentId": old_document, "start": start, "parser": "0"},
    )
    assert (refused.code, "Reload" in refused.json["detail"]) == ("READING_REPLACED", True)


@pytest.mark.parametrize(
    ("parser", "block"),
    [("1", "0-2"), (PARSER_VERSION, "0-1"), ("", "0-1"), ("0", "0-1")],  # what "0" read is gone: by its share
)
async def test_a_place_that_a_page_names_which_was_opened_before_is_found_in_the_new_reading(
    reader: Browser, worker: StatefulWorker, old_document: str, parser: str, block: str
) -> None:
    worker.paragraphs = ["A title", FIRST, SECOND]
    await renew(reader, old_document)
    place = {**PLACE, "offset": 20, "fraction": 0.3, "parser": parser}
    answer = await reader.send("PUT", f"/api/documents/{old_document}/position", json=place)
    assert answer.status == 204
    kept = (await shown(reader, old_document))["position"]
    assert (kept["blockId"], kept["fraction"]) == (block, 0.3)
    assert kept["offset"] == (0 if parser == "0" else 20)


async def test_what_a_password_opened_is_read_again_without_asking_for_it(
    reader: Browser, worker: StatefulWorker
) -> None:
    worker.parser_version, worker.paragraphs = "1", [FIRST]
    identifier = (await reader.upload(b"%PDF-1.7 locked", "letter.pdf")).json["document"]["id"]
    await reader.settled(identifier)
    await reader.post(f"/api/documents/{identifier}/password", {"password": "sesame"})
    assert (await reader.settled(identifier))["isOutdated"]
    worker.parser_version, worker.paragraphs = PARSER_VERSION, ["Another cut"]
    assert not (await renew(reader, identifier))["isOutdated"]
    request = worker.parse_requests[-1]
    assert (request.password, request.earlier_ref[-13:]) == ("", "1-any-5e5a3e/")
    assert await first_block(reader, identifier) == "Another cut"


async def test_it_can_be_put_off(reader: Browser, worker: StatefulWorker, old_document: str) -> None:
    worker.may_finish.clear()
    worker.paragraphs = ["Another cut"]
    await reader.send("POST", f"/api/documents/{old_document}/renewal")
    assert (await reader.send("DELETE", f"/api/documents/{old_document}/renewal")).status == 204
    worker.may_finish.set()
    kept = await reader.settled(old_document)
    assert (kept["isOutdated"], kept["progress"]) == (True, None)
    assert await first_block(reader, old_document) == FIRST
    assert not (await renew(reader, old_document))["isOutdated"]


async def test_what_cannot_be_read_again_stays_as_it_was(
    reader: Browser, worker: StatefulWorker, old_document: str
) -> None:
    worker.fails_with = "PARSER_FAILED"
    kept = await renew(reader, old_document)
    assert (kept["isOutdated"], kept["state"], kept["error"]) == (True, "ready", None)
    assert {**kept["position"], "updatedAt": ""} == {**PLACE, "updatedAt": ""}
    assert await first_block(reader, old_document) == FIRST


async def test_without_a_worker_it_is_read_as_it_was(
    reader: Browser, worker: StatefulWorker, old_document: str
) -> None:
    await worker.stop()
    assert (await renew(reader, old_document))["isOutdated"]
    assert await first_block(reader, old_document) == FIRST


async def test_a_worker_of_the_older_version_changes_nothing(
    reader: Browser, worker: StatefulWorker, old_document: str
) -> None:
    worker.parser_version = "1"
    assert (await renew(reader, old_document))["isOutdated"]
    assert await first_block(reader, old_document) == FIRST


async def test_each_owner_of_the_same_bytes_keeps_their_own_place(
    instance: Instance, worker: StatefulWorker
) -> None:
    ada, eve = await instance.new_reader("ada@example.org"), await instance.new_reader("eve@example.org")
    worker.parser_version, worker.paragraphs = "1", [FIRST, SECOND]
    hers, theirs = await ada.add_document(), await eve.add_document()
    await ada.send("PUT", f"/api/documents/{hers}/position", json=PLACE)
    worker.parser_version, worker.paragraphs = PARSER_VERSION, ["A title", FIRST, SECOND]
    assert (await renew(ada, hers))["position"]["blockId"] == "0-2"
    assert (await shown(eve, theirs))["isOutdated"]
    assert (await eve.send("POST", f"/api/documents/{hers}/renewal")).code == "DOCUMENT_NOT_FOUND"
    assert (await renew(eve, theirs))["position"] is None


async def test_a_document_of_this_version_is_left_alone(reader: Browser, worker: StatefulWorker) -> None:
    identifier = await reader.add_document()
    assert not (await renew(reader, identifier))["isOutdated"]
    assert len(worker.parse_requests) == 1


@pytest.mark.parametrize(
    ("reference", "can"),
    [
        ("1-pdf", True),
        ("1-web_page", True),
        (f"{PARSER_VERSION}-pdf", False),
        ("999-pdf", False),  # by a newer worker
        ("1-pdf-0123456789abcdef", True),  # what a password opened is kept without its lock
        ("0-pdf", False),
    ],
)
def test_what_an_older_parser_read_can_be_renewed(reference: str, can: bool) -> None:
    assert can_be_renewed(f"reading/{'a' * 64}/{reference}/") is can
