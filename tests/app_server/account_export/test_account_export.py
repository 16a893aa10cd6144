"""Everything of one's account in an archive: complete, streamed, kept for a week."""

import asyncio
import io
import json
import tracemalloc
import zipfile
from collections.abc import AsyncIterator

import pytest
from app_fixtures.browser import Answer, Browser, Instance

from app_server.account_export.archive import archive
from app_server.account_export.content import LEFT_OUT, owned_tables
from app_server.account_export.model import AccountContent, OwnedFile
from app_server.database.schema import metadata
from shared.objects.ports import ObjectStore

WEEK_SECONDS = 7 * 24 * 3600


async def exported(browser: Browser) -> dict[str, object]:
    started = await browser.post("/api/user/export")
    assert started.status == 202, started.body
    export_id = started.json["export"]["id"]
    async with asyncio.timeout(20):
        while True:
            exports: list[dict[str, object]] = (await browser.get("/api/user/exports")).json["exports"]
            ours = next(export for export in exports if export["id"] == export_id)
            if ours["state"] not in {"queued", "running"}:
                return ours
            await asyncio.sleep(0.02)


async def download(browser: Browser, export_id: object) -> Answer:
    return await browser.get(f"/api/user/exports/{export_id}/file")


async def test_an_export_holds_files_progress_and_settings(reader: Browser, clock) -> None:
    first = await reader.add_document(b"<p>One.</p>", "story.html")
    clock.turn(seconds=1)
    await reader.add_document(b"<p>Two.</p>", "story.html")
    position = {"segmentOrdinal": 3, "blockId": "b7", "offset": 12, "section": 1, "fraction": 0.25}
    assert (await reader.send("PUT", f"/api/documents/{first}/position", json=position)).status == 204
    export = await exported(reader)
    assert (export["state"], export["done"], export["total"]) == ("ready", 2, 2)
    answer = await download(reader, export["id"])
    assert answer.headers["Content-Type"] == "application/zip"
    assert 'filename="lectern-2027-01-15.zip"' in answer.headers["Content-Disposition"]
    assert len(answer.body) == export["sizeBytes"]
    assert answer.headers["Cache-Control"] == "private, no-store"
    # A download that was interrupted goes on where it stopped.
    rest = {"Range": "bytes=100-", "If-Range": answer.headers["ETag"]}
    part = await reader.get(f"/api/user/exports/{export['id']}/file", headers=rest)
    assert (part.status, part.body) == (206, answer.body[100:])
    packed = zipfile.ZipFile(io.BytesIO(answer.body))
    assert packed.testzip() is None
    assert packed.read("documents/story.html") == b"<p>One.</p>"
    assert packed.read("documents/story (2).html") == b"<p>Two.</p>"
    data = {
        name.removeprefix("data/").removesuffix(".json"): json.loads(packed.read(name))
        for name in packed.namelist()
        if name.startswith("data/")
    }
    (place,) = data["reading_positions"]
    assert (place["documentId"], place["segmentOrdinal"], place["fraction"]) == (first, 3, 0.25)
    (user,) = data["users"]
    assert (user["email"], user["createdAt"]) == ("reader@example.org", "2027-01-15T08:00:00.000Z")
    assert {document["fileName"] for document in data["documents"]} == {"story.html"}
    assert "hash" not in str(data).lower()
    assert b"argon2" not in answer.body


def test_every_table_that_is_somebodys_is_exported_or_left_out_on_purpose() -> None:
    exported_tables = {table.name for table, _ in owned_tables()}
    owned = {
        table.name
        for table in metadata.sorted_tables
        if any(key.column.table.name in {"users", "documents"} for key in table.foreign_keys)
    }
    assert owned | {"users"} == exported_tables | LEFT_OUT


async def test_an_export_is_gone_after_a_week(reader: Browser, clock) -> None:
    export = await exported(reader)
    clock.turn(seconds=WEEK_SECONDS - 1)
    await reader.enter("sign-in", "reader@example.org")
    assert (await download(reader, export["id"])).status == 200
    clock.turn(seconds=1)
    assert (await reader.get("/api/user/exports")).json["exports"] == []
    assert (await download(reader, export["id"])).code == "EXPORT_NOT_FOUND"


async def test_an_export_can_be_deleted(reader: Browser, objects: ObjectStore) -> None:
    export = await exported(reader)
    assert (await reader.send("DELETE", f"/api/user/exports/{export['id']}")).status == 204
    assert (await reader.get("/api/user/exports")).json["exports"] == []
    assert [item async for item in objects.list("exports/")] == []


async def test_nobody_sees_exports_of_others(instance: Instance, reader: Browser) -> None:
    export = await exported(reader)
    stranger = await instance.new_reader("stranger@example.org")
    assert (await stranger.get("/api/user/exports")).json["exports"] == []
    assert (await download(stranger, export["id"])).status == 404
    assert (await stranger.send("DELETE", f"/api/user/exports/{export['id']}")).status == 404


async def test_deleting_the_account_takes_its_exports_along(reader: Browser, objects: ObjectStore) -> None:
    await exported(reader)
    body = {"currentPassword": "correct horse battery"}
    assert (await reader.send("DELETE", "/api/account", json=body)).status == 204
    assert [item async for item in objects.list("exports/")] == []


async def test_an_archive_is_never_held_whole() -> None:
    """64 MiB go through while a twentieth of it is held."""
    chunk, count = b"\x5a" * 262_144, 128

    async def read(_file: OwnedFile) -> AsyncIterator[bytes]:
        for _ in range(count):
            yield chunk

    async def on_file() -> None:
        pass

    files = tuple(OwnedFile(f"{n}.bin", str(n), len(chunk) * count) for n in range(2))
    size = 0
    tracemalloc.start()
    try:
        async for part in archive(AccountContent({}, files), read=read, at_ms=0, on_file=on_file):
            size += len(part)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size > 2 * len(chunk) * count
    assert most < size / 20


async def test_a_file_whose_bytes_are_gone_is_named() -> None:
    async def read(file: OwnedFile) -> AsyncIterator[bytes]:
        if file.name == "there.txt":
            yield b"here"

    async def on_file() -> None:
        pass

    content = AccountContent({}, (OwnedFile("lost.txt", "a", 1), OwnedFile("there.txt", "b", 4)))
    parts = [part async for part in archive(content, read=read, at_ms=0, on_file=on_file)]
    packed = zipfile.ZipFile(io.BytesIO(b"".join(parts)))
    assert json.loads(packed.read("data/missing.json")) == ["lost.txt"]
    assert packed.read("documents/there.txt") == b"here"


@pytest.mark.parametrize("path", ["/api/user/exports", "/api/user/exports/x/file"])
async def test_only_who_is_signed_in(browser: Browser, path: str) -> None:
    assert (await browser.get(path)).status == 401
