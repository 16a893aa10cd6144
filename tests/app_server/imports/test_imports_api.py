"""The ways into a library, over the whole app; pages come from a server that the test starts."""

import asyncio
import io
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from aiohttp import CookieJar, web
from aiohttp.test_utils import TestClient, TestServer
from app_fixtures.browser import Answer, Browser
from app_fixtures.worker import StatefulWorker

from app_server.imports.page_fetcher import PageFetcher
from app_server.wiring import application
from app_server.wiring.application import open_app
from lectern.compute.v1 import documents_pb2
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.objects.ports import ObjectStore

PAGE = "<!doctype html><html lang=en><title>The River</title><p>The river rose.</p></html>"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    root = tmp_path / "shelf"
    (root / "Novels").mkdir(parents=True)
    (root / "Novels" / "Emma.html").write_text("<p>Emma Woodhouse, handsome, clever, and rich</p>")
    (root / "picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    return root


@pytest.fixture
def environment(environment: dict[str, str], library: Path) -> dict[str, str]:
    return environment | {"IMPORT_LIBRARY_DIRS": f"{library},{library.parent / 'missing'}"}


@pytest.fixture
def silent_page() -> asyncio.Event:
    """Set when the page that never answers has been asked for."""
    return asyncio.Event()


@pytest.fixture
async def page_server(silent_page: asyncio.Event) -> AsyncIterator[TestServer]:
    async def silent(_request: web.Request) -> web.Response:
        silent_page.set()
        await asyncio.Event().wait()
        raise AssertionError

    app = web.Application()
    app.router.add_get("/river", _river)
    app.router.add_get("/hops/{left}", _hops)
    app.router.add_get("/bytes/{count}", _bytes)
    app.router.add_get("/silent", silent)
    server = TestServer(app, host="127.0.0.1")
    await server.start_server()
    yield server
    await server.close()


async def _river(_request: web.Request) -> web.Response:
    return web.Response(text=PAGE, content_type="text/html")


async def _hops(request: web.Request) -> web.Response:
    left = int(request.match_info["left"])
    if not left:
        return await _river(request)
    return web.Response(status=302, headers={"Location": f"/hops/{left - 1}"})


async def _bytes(request: web.Request) -> web.Response:
    return web.Response(text=PAGE.ljust(int(request.match_info["count"])), content_type="text/html")


@pytest.fixture
async def reader(
    environment: dict[str, str], worker: StatefulWorker, page_server: TestServer
) -> AsyncIterator[Browser]:
    """Of an app whose fetcher may go to this machine, as no app in earnest may."""
    fetcher = PageFetcher(policy=lambda address: address == "127.0.0.1")
    async with _entered(environment, fetcher=fetcher) as browser:
        yield browser


@asynccontextmanager
async def _entered(environment: dict[str, str], *, fetcher: PageFetcher | None) -> AsyncIterator[Browser]:
    settings: AppSettings = read_app_settings(environment)
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(open_app(settings, fetcher=fetcher))
        server = await stack.enter_async_context(TestServer(app))
        client: TestClient[Any, Any] = TestClient(server, cookie_jar=CookieJar(unsafe=True))
        await stack.enter_async_context(client)
        browser = Browser(client=client, origin=settings.base_url)
        assert (await browser.enter("sign-up", f"{secrets.token_hex(4)}@example.org")).status == 201
        yield browser


@pytest.fixture
async def as_composed(
    environment: dict[str, str], worker: StatefulWorker, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Browser]:
    """Of an app whose fetcher is the one that it makes itself, with a way to this machine."""
    monkeypatch.setattr(
        application, "PageFetcher", partial(PageFetcher, policy=lambda address: address == "127.0.0.1")
    )
    async with _entered(environment, fetcher=None) as browser:
        yield browser


async def test_an_app_follows_five_redirects_and_takes_two_mebibytes(
    as_composed: Browser, page_server: TestServer
) -> None:
    async def added(path: str) -> str:
        answer = await as_composed.post("/api/imports/web-page", {"address": str(page_server.make_url(path))})
        return "added" if answer.status == 201 else answer.code

    assert await added("/hops/5") == "added"
    assert await added("/hops/6") == "PAGE_UNREACHABLE"
    assert await added(f"/bytes/{2 * 1024 * 1024}") == "added"
    assert await added(f"/bytes/{2 * 1024 * 1024 + 1}") == "PAGE_TOO_LARGE"


async def test_an_app_waits_six_seconds_for_a_page(
    as_composed: Browser, page_server: TestServer, silent_page: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    monkeypatch.setattr(loop, "time", lambda: began)
    asking = asyncio.ensure_future(
        as_composed.post("/api/imports/web-page", {"address": str(page_server.make_url("/silent"))})
    )
    asked = asyncio.ensure_future(silent_page.wait())
    await asyncio.wait({asking, asked}, return_when=asyncio.FIRST_COMPLETED)
    assert asked.done(), asking.result()
    monkeypatch.setattr(loop, "time", lambda: began + 5.99)
    for _ in range(100):
        await asyncio.sleep(0)
    assert not asking.done()
    monkeypatch.setattr(loop, "time", lambda: began + 6.01)
    answer = await asking
    assert answer.code == "PAGE_TOO_SLOW"
    assert "6 seconds" in answer.json["detail"]


async def test_pasted_text_becomes_a_document_with_its_title(reader: Browser, objects: ObjectStore) -> None:
    answer = await reader.post("/api/imports/text", {"text": "Once upon a time.", "title": " A  Tale/1 "})
    assert answer.status == 201, answer.body
    document = answer.json["document"]
    assert (document["title"], document["format"], document["fileName"]) == (
        "A Tale/1",
        "text",
        "A Tale-1.txt",
    )
    ready = await reader.settled(document["id"])
    assert (ready["state"], ready["title"]) == ("ready", "A Tale/1"), "the chosen title stays"
    file = await reader.get(f"/api/documents/{document['id']}/file")
    assert file.body == b"Once upon a time."


async def test_without_a_title_the_first_line_stands_for_it(reader: Browser) -> None:
    long = "word " * 100
    for text, kind, title in (
        ("First line\nsecond", "text", "First line"),
        ("\n# Heading\n\ntext", "markdown", "Heading"),
        (long, "text", ("word " * 16).strip()[:79] + "…"),
    ):
        document = (await reader.post("/api/imports/text", {"text": text, "kind": kind})).json["document"]
        assert document["format"] == kind
        assert document["title"] == title


async def test_text_that_looks_like_a_file_is_still_text(reader: Browser) -> None:
    answer = await reader.post("/api/imports/text", {"text": "%PDF-1.4 is how such files begin."})
    assert answer.json["document"]["format"] == "text"


async def test_long_text_is_taken_and_longer_text_is_not(reader: Browser) -> None:
    async def paste(text: str) -> Answer:
        body = io.BytesIO(json.dumps({"text": text}).encode())
        return await reader.send(
            "POST", "/api/imports/text", data=body, headers={"Content-Type": "application/json"}
        )

    assert (await paste("ä" * 1_000_000)).status == 201
    answer = await paste("a" * 1_000_001)
    assert (answer.status, answer.code) == (422, "FIELDS_INVALID")
    assert answer.json["errors"][0]["field"] == "text"
    assert (await paste(" \n ")).code == "TEXT_EMPTY"
    assert (await paste("a" * 7_000_000)).status == 413


async def test_a_web_page_becomes_a_document_that_tells_its_address(
    reader: Browser, worker: StatefulWorker, page_server: TestServer
) -> None:
    address = str(page_server.make_url("/river"))
    answer = await reader.post("/api/imports/web-page", {"address": address})
    assert answer.status == 201, answer.body
    document = answer.json["document"]
    assert (document["sourceUrl"], document["format"], document["fileName"]) == (
        address,
        "web_page",
        "river.html",
    )
    assert (await reader.settled(document["id"]))["state"] == "ready"
    assert worker.parse_requests[-1].format == documents_pb2.DOCUMENT_FORMAT_WEB_PAGE
    again = (await reader.post("/api/imports/web-page", {"address": address})).json
    assert (again["isDuplicate"], again["document"]["id"]) == (True, document["id"])


async def test_a_page_that_is_not_there_is_told(reader: Browser, page_server: TestServer) -> None:
    answer = await reader.post("/api/imports/web-page", {"address": str(page_server.make_url("/nothing"))})
    assert (answer.status, answer.code) == (409, "PAGE_REFUSED")
    assert "404" in answer.json["detail"]


async def test_an_app_in_earnest_goes_to_no_private_address(instance: Any, page_server: TestServer) -> None:
    reader = await instance.new_reader("ada@example.org")
    answer = await reader.post("/api/imports/web-page", {"address": str(page_server.make_url("/river"))})
    assert (answer.status, answer.code) == (400, "ADDRESS_NOT_PUBLIC")


async def test_a_server_folder_is_browsed_searched_and_imported_from(reader: Browser) -> None:
    roots = (await reader.get("/api/server-folders")).json["roots"]
    assert [(root["name"], root["problem"] is None) for root in roots] == [
        ("shelf", True),
        ("missing", False),
    ]
    top = (await reader.get("/api/server-folders/entries?root=0")).json
    assert [(entry["name"], entry["isFolder"]) for entry in top["entries"]] == [
        ("Novels", True),
        ("picture.txt", False),
    ]
    (emma,) = (await reader.get("/api/server-folders/entries?root=0&search=emma")).json["entries"]
    assert (emma["path"], emma["sizeBytes"]) == ("Novels/Emma.html", 49)
    added = (await reader.post("/api/server-folders/imports", {"root": 0, "path": emma["path"]})).json
    assert (added["isDuplicate"], added["document"]["fileName"]) == (False, "Emma.html")
    assert (await reader.settled(added["document"]["id"]))["state"] == "ready"
    again = (await reader.post("/api/server-folders/imports", {"root": 0, "path": emma["path"]})).json
    assert (again["isDuplicate"], again["document"]["id"]) == (True, added["document"]["id"])


async def test_each_file_that_cannot_be_imported_says_why(reader: Browser) -> None:
    for root, path, status, code in (
        (0, "picture.txt", 415, "FORMAT_UNSUPPORTED"),
        (0, "../lectern.db", 404, "FOLDER_FILE_NOT_FOUND"),
        (0, "nothing.txt", 404, "FOLDER_FILE_NOT_FOUND"),
        (1, "a.txt", 404, "FOLDER_FILE_NOT_FOUND"),
        (7, "a.txt", 404, "FOLDER_FILE_NOT_FOUND"),
        (-1, "a.txt", 422, "FIELDS_INVALID"),
    ):
        answer = await reader.post("/api/server-folders/imports", {"root": root, "path": path})
        assert (answer.status, answer.code) == (status, code), path


async def test_the_same_upload_again_is_told(reader: Browser) -> None:
    first = (await reader.upload(b"The same words", "a.txt")).json
    again = (await reader.upload(b"The same words", "b.txt")).json
    pasted = (await reader.post("/api/imports/text", {"text": "The same words", "title": "New"})).json
    assert [answer["isDuplicate"] for answer in (first, again, pasted)] == [False, True, True]
    assert {answer["document"]["id"] for answer in (first, again, pasted)} == {first["document"]["id"]}
    assert pasted["document"]["title"] != "New"


async def test_metadata_can_be_corrected_and_given_back(reader: Browser) -> None:
    one = f"/api/documents/{await reader.add_document()}"
    change = {"title": "  Emma ", "authors": ["Jane Austen", "Somebody Else"], "language": "en-GB"}
    answer = await reader.send("PATCH", one, json=change)
    assert answer.status == 200, answer.body
    shown = answer.json["document"]
    assert (shown["title"], shown["authors"], shown["language"]) == (
        "Emma",
        ["Jane Austen", "Somebody Else"],
        "en-GB",
    )
    assert shown["changed"] == ["title", "authors", "language"]
    assert (await reader.get("/api/documents")).json["documents"] == [shown]
    back = (await reader.send("PATCH", one, json={"title": None, "authors": []})).json["document"]
    assert (back["title"], back["authors"], back["language"]) == ("A Title of Its Own", [], "en-GB")
    assert back["changed"] == ["authors", "language"]


async def test_metadata_that_cannot_be_names_the_field(reader: Browser) -> None:
    one = f"/api/documents/{await reader.add_document()}"
    changes: list[tuple[dict[str, Any], str]] = [
        ({"title": "  "}, "title"),
        ({"title": "x" * 301}, "title"),
        ({"title": "a\0b"}, "title"),
        ({"authors": ["A", ""]}, "authors.1"),
        ({"language": "English"}, "language"),
        ({"language": "en_GB"}, "language"),
        ({"cover": "x"}, "cover"),
    ]
    for change, field in changes:
        answer = await reader.send("PATCH", one, json=change)
        assert (answer.status, answer.code) == (422, "FIELDS_INVALID"), change
        assert [error["field"] for error in answer.json["errors"]] == [field]


async def test_nobody_changes_anothers_metadata(instance: Any) -> None:
    ada, eve = await instance.new_reader("ada@example.org"), await instance.new_reader("eve@example.org")
    one = f"/api/documents/{await ada.add_document()}"
    assert (await eve.send("PATCH", one, json={"title": "Mine"})).code == "DOCUMENT_NOT_FOUND"
