"""Files that go straight to the object store and become documents, and every way to cheat."""

import hashlib
import secrets
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
from app_fixtures.browser import Answer, Browser

from app_server.library.stale_uploads import remove_stale_uploads
from app_server.library.stored_files import attachment
from servers.object_store import ObjectStoreServer
from shared.configuration.app_settings import AppSettings
from shared.objects.ports import ObjectStore

TEXT = b"A page that never passed through the app.\n" * 50


@pytest.fixture(params=["embedded", "other"])
def environment(
    request: pytest.FixtureRequest, environment: dict[str, str], object_store: ObjectStoreServer
) -> dict[str, str]:
    """Addresses are presigned; localhost stands for the public name of the store."""
    server = object_store
    if request.param == "other":
        server = request.getfixturevalue("other_object_store")
    port = urlsplit(server.endpoint).port
    return {
        **environment,
        "S3_INTERNAL_ENDPOINT": server.endpoint,
        "S3_ACCESS_KEY_ID": server.access_key,
        "S3_SECRET_ACCESS_KEY": server.secret_key,
        "S3_BUCKET": server.bucket,
        "S3_PUBLIC_ENDPOINT": f"http://localhost:{port}",
    }


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    """A browser's requests to the store: it has no cookies there."""
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
def checks_signatures(environment: dict[str, str], object_store: ObjectStoreServer) -> bool:
    return environment["S3_INTERNAL_ENDPOINT"] == object_store.endpoint


async def begin(reader: Browser, size_bytes: int = len(TEXT), name: str = "page.txt") -> Answer:
    return await reader.post("/api/documents/uploads", {"fileName": name, "sizeBytes": size_bytes})


async def begun(reader: Browser, size_bytes: int = len(TEXT), name: str = "page.txt") -> Any:
    answer = await begin(reader, size_bytes, name)
    assert answer.status == 201, answer.body
    return answer.json


async def put(http: aiohttp.ClientSession, upload: Any, body: bytes) -> int:
    async with http.request(upload["method"], upload["url"], headers=upload["headers"], data=body) as answer:
        return answer.status


async def finalize(reader: Browser, upload: Any, **more: str) -> Answer:
    return await reader.post("/api/documents/uploads/finalize", {"uploadId": upload["uploadId"], **more})


async def uploads(objects: ObjectStore) -> list[str]:
    return [found.key async for found in objects.list("uploads/")]


async def test_a_file_goes_past_the_app_and_becomes_a_document(
    reader: Browser, objects: ObjectStore, http: aiohttp.ClientSession, settings: AppSettings
) -> None:
    features = (await reader.get("/api/auth/session")).json["features"]
    assert features["uploadTransport"] == "presigned"
    upload = await begun(reader)
    assert upload["url"].startswith(f"{settings.browser_transport.endpoint}/")
    assert settings.storage.secret_key not in str(upload)
    assert await put(http, upload, TEXT) == 200
    sha256 = hashlib.sha256(TEXT).hexdigest()
    answer = await finalize(reader, upload, sha256=sha256)
    assert answer.status == 201, answer.body
    document = answer.json["document"]
    assert (document["fileName"], document["format"], document["sizeBytes"]) == (
        "page.txt",
        "text",
        len(TEXT),
    )
    assert await objects.get(f"documents/{sha256}") == TEXT
    assert await uploads(objects) == []
    assert (await reader.settled(document["id"]))["state"] == "ready"


async def test_the_page_may_send_to_the_store_and_nowhere_else(
    reader: Browser, settings: AppSettings
) -> None:
    policy = (await reader.get("/signin")).headers["Content-Security-Policy"]
    assert f"connect-src 'self' {settings.browser_transport.endpoint};" in policy


@pytest.mark.parametrize(
    ("size_bytes", "status", "code"), [(0, 422, "FILE_EMPTY"), (10**12, 413, "FILE_TOO_LARGE")]
)
async def test_the_announced_size_is_checked_before_anything_is_sent(
    reader: Browser, size_bytes: int, status: int, code: str
) -> None:
    answer = await begin(reader, size_bytes)
    assert (answer.status, answer.code) == (status, code)


async def test_another_size_than_announced_is_refused(
    reader: Browser, objects: ObjectStore, http: aiohttp.ClientSession, checks_signatures: bool
) -> None:
    upload = await begun(reader)
    status = await put(http, upload, TEXT + b"more")
    assert status == (403 if checks_signatures else 200)
    answer = await finalize(reader, upload)
    assert (answer.status, answer.code) == (400, "UPLOAD_INCOMPLETE")
    assert await uploads(objects) == []


async def test_what_was_never_sent_is_no_document(reader: Browser) -> None:
    answer = await finalize(reader, await begun(reader))
    assert (answer.status, answer.code) == (400, "UPLOAD_INCOMPLETE")


async def test_a_file_damaged_on_its_way_is_refused(
    reader: Browser, objects: ObjectStore, http: aiohttp.ClientSession
) -> None:
    upload = await begun(reader)
    await put(http, upload, TEXT)
    answer = await finalize(reader, upload, sha256="0" * 64)
    assert (answer.status, answer.code) == (400, "UPLOAD_DAMAGED")
    assert await uploads(objects) == []


async def test_the_format_is_recognized_by_the_bytes_that_arrived(
    reader: Browser, objects: ObjectStore, http: aiohttp.ClientSession
) -> None:
    picture = b"\x89PNG\r\n\x1a\n" + bytes(100)
    upload = await begun(reader, len(picture), "book.epub")
    await put(http, upload, picture)
    answer = await finalize(reader, upload)
    assert (answer.status, answer.code) == (415, "FORMAT_UNSUPPORTED")
    assert [found.key async for found in objects.list("")] == []


async def test_an_upload_belongs_to_who_began_it(
    instance: Any, reader: Browser, http: aiohttp.ClientSession
) -> None:
    upload = await begun(reader)
    await put(http, upload, TEXT)
    other = await instance.new_reader("other@example.org")
    answer = await finalize(other, upload)
    assert (answer.status, answer.code) == (404, "UPLOAD_NOT_FOUND")
    assert (await finalize(reader, upload)).status == 201
    nobody = await instance.new_browser()
    assert (await begin(nobody)).status == 401
    assert (await finalize(nobody, upload)).status == 401


async def test_a_forged_or_old_upload_is_unknown(
    reader: Browser, clock: Any, http: aiohttp.ClientSession
) -> None:
    upload = await begun(reader)
    await put(http, upload, TEXT)
    forged = {"uploadId": upload["uploadId"][:-4] + "AAAA"}
    assert (await finalize(reader, forged)).code == "UPLOAD_NOT_FOUND"
    clock.turn(seconds=3601)
    assert (await finalize(reader, upload)).code == "UPLOAD_NOT_FOUND"


async def test_an_address_is_for_one_object_and_for_writing_only(
    reader: Browser, http: aiohttp.ClientSession, checks_signatures: bool
) -> None:
    upload = await begun(reader)
    key = urlsplit(upload["url"]).path.rpartition("/")[2]
    elsewhere = upload["url"].replace(key, secrets.token_hex(16))
    if checks_signatures:
        assert await put(http, {**upload, "url": elsewhere}, TEXT) == 403
        async with http.get(upload["url"]) as answer:
            assert answer.status == 403


async def test_writing_again_after_the_hash_was_taken_changes_no_document(
    reader: Browser, objects: ObjectStore, http: aiohttp.ClientSession
) -> None:
    upload = await begun(reader)
    await put(http, upload, TEXT)
    document = (await finalize(reader, upload)).json["document"]
    await put(http, upload, TEXT[::-1])
    assert await objects.get(f"documents/{hashlib.sha256(TEXT).hexdigest()}") == TEXT
    again = await finalize(reader, upload)  # other bytes: another document
    assert again.json["document"]["id"] != document["id"]


async def test_unfinished_uploads_go_after_a_day(
    reader: Browser, objects: ObjectStore, http: aiohttp.ClientSession
) -> None:
    await put(http, await begun(reader), TEXT)
    await objects.put("documents/old", b"x")
    (found,) = [one async for one in objects.list("uploads/")]
    day_ms = 24 * 3600 * 1000
    assert await remove_stale_uploads(objects, now_ms=int(found.modified_at * 1000) + day_ms - 1000) == 0
    assert await remove_stale_uploads(objects, now_ms=int(found.modified_at * 1000) + day_ms + 1000) == 1
    assert [one.key async for one in objects.list("")] == ["documents/old"]


async def test_a_download_leads_to_the_store_ranges_included(
    reader: Browser, http: aiohttp.ClientSession, settings: AppSettings
) -> None:
    identifier = await reader.add_document(TEXT, "Käse.txt")
    answer = await reader.get(f"/api/documents/{identifier}/file")
    assert (answer.status, answer.headers["Cache-Control"]) == (307, "private, no-store")
    url = answer.headers["Location"]
    assert url.startswith(f"{settings.browser_transport.endpoint}/")
    async with http.get(url) as whole:
        assert (whole.status, await whole.read()) == (200, TEXT)
        assert whole.headers["Content-Disposition"].startswith("attachment;")
        assert whole.headers["Content-Type"].startswith("text/plain")
    async with http.get(url, headers={"Range": "bytes=2-5"}) as part:
        assert await part.read() == TEXT[2:6]
        assert part.headers["Content-Range"] == f"bytes 2-5/{len(TEXT)}"


async def test_the_limit_holds_for_direct_uploads_too(one_megabyte: None, reader: Browser) -> None:
    assert (await begin(reader, 1024 * 1024)).status == 201
    assert (await begin(reader, 1024 * 1024 + 1)).status == 413


RANGES: list[tuple[dict[str, str], int, bytes, str | None]] = [
    ({}, 200, TEXT, None),
    ({"Range": "bytes=2-5"}, 206, TEXT[2:6], f"bytes 2-5/{len(TEXT)}"),
    ({"Range": "bytes=5-"}, 206, TEXT[5:], f"bytes 5-{len(TEXT) - 1}/{len(TEXT)}"),
    ({"Range": "bytes=-3"}, 206, TEXT[-3:], f"bytes {len(TEXT) - 3}-{len(TEXT) - 1}/{len(TEXT)}"),
    ({"Range": "bytes=5-999999999"}, 206, TEXT[5:], f"bytes 5-{len(TEXT) - 1}/{len(TEXT)}"),
    ({"Range": "bytes=0-"}, 200, TEXT, None),
    ({"Range": "bytes=999999999-"}, 416, b"", f"bytes */{len(TEXT)}"),
    ({"Range": "bytes=5-2"}, 200, TEXT, None),
    ({"Range": "bytes=0-1,4-5"}, 200, TEXT, None),
    ({"Range": "lines=1-2"}, 200, TEXT, None),
    ({"Range": "bytes=2-5", "If-Range": '"another"'}, 200, TEXT, None),
]


class TestThroughTheApp:
    @pytest.fixture
    def environment(self, environment: dict[str, str]) -> dict[str, str]:
        return {**environment, "S3_BROWSER_TRANSPORT": "proxy"}

    async def test_nothing_of_the_store_is_shown(self, reader: Browser, settings: AppSettings) -> None:
        session = await reader.get("/api/auth/session")
        assert session.json["features"]["uploadTransport"] == "proxy"
        assert "connect-src 'self';" in session.headers["Content-Security-Policy"]
        answer = await begin(reader)
        assert (answer.status, answer.code) == (409, "UPLOADS_PROXIED")

    async def test_a_download_comes_through_the_app_ranges_included(self, reader: Browser) -> None:
        path = f"/api/documents/{await reader.add_document(TEXT, 'page.txt')}/file"
        for wanted, status, expected, content_range in RANGES:
            answer = await reader.get(path, headers=wanted)
            assert (answer.status, answer.headers.get("Content-Range")) == (status, content_range), wanted
            assert answer.body == expected, wanted
            assert answer.headers["Accept-Ranges"] == "bytes"

    @pytest.mark.parametrize("environment", ["embedded"], indirect=True)
    async def test_a_download_is_never_shown_as_a_page(self, reader: Browser, instance: Any) -> None:
        identifier = await reader.add_document(b"<script>alert(1)</script>", "a page.html")
        path = f"/api/documents/{identifier}/file"
        answer = await reader.get(path)
        assert answer.headers["Content-Disposition"].startswith("attachment; ")
        assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        head = await reader.send("HEAD", path)
        assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", "25")
        assert (await reader.get(path, headers={"If-None-Match": answer.headers["ETag"]})).status == 304
        other = await instance.new_reader("other@example.org")
        assert (await other.get(path)).status == 404
        assert (await (await instance.new_browser()).get(path)).status == 401


def test_a_file_name_breaks_out_of_no_header() -> None:
    assert attachment('a "b"\\ü\r\n.html') == (
        "attachment; filename=\"a _b_____.html\"; filename*=UTF-8''a%20%22b%22%5C%C3%BC%0D%0A.html"
    )
