import asyncio
import io
import zipfile

import pytest
from aiohttp import FormData
from app_fixtures.browser import Browser

from app_server.library.formats import DocumentFormat, recognized_format
from app_server.library.uploads import cleaned_file_name
from shared.errors import LecternError
from shared.objects.ports import ObjectStore

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


async def nothing_is_left(objects: ObjectStore) -> bool:
    return [found async for found in objects.list("")] == []


async def test_an_empty_file_is_refused(reader: Browser, objects: ObjectStore) -> None:
    answer = await reader.upload(b"", "a.txt")
    assert (answer.status, answer.code) == (422, "FILE_EMPTY")
    assert await nothing_is_left(objects)


async def test_a_picture_named_like_a_book_is_called_a_picture(reader: Browser, objects: ObjectStore) -> None:
    answer = await reader.upload(PNG, "book.epub")
    assert (answer.status, answer.code) == (415, "FORMAT_UNSUPPORTED")
    assert "PNG image" in answer.json["detail"]
    assert await nothing_is_left(objects)


async def test_a_file_over_the_limit_is_refused_while_it_streams(
    one_megabyte: None, reader: Browser, objects: ObjectStore
) -> None:
    assert (await reader.get("/api/auth/session")).json["features"]["maxUploadMb"] == 1
    assert (await reader.upload(b"x" * 1024 * 1024, "fits.txt")).status == 201
    answer = await reader.upload(b"x" * (1024 * 1024 + 1), "a.txt")
    assert (answer.status, answer.code) == (413, "FILE_TOO_LARGE")
    assert "1 MB" in answer.json["detail"]
    assert [found.key async for found in objects.list("uploads/")] == []


async def test_a_body_of_unknown_length_is_counted_too(
    one_megabyte: None, reader: Browser, objects: ObjectStore
) -> None:
    async def endless() -> object:
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
        for _ in range(3):
            yield b"x" * 1024 * 1024

    answer = await reader.send(
        "POST", "/api/documents", data=endless(), headers={"Content-Type": "multipart/form-data; boundary=b"}
    )
    assert answer.status == 413
    assert await nothing_is_left(objects)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "UPLOAD_INCOMPLETE"),
        (b"rubbish", 400, "UPLOAD_INCOMPLETE"),
        (
            b'--b\r\nContent-Disposition: form-data; name="\x08"\r\n\r\nx\r\n--b--\r\n',
            400,
            "UPLOAD_INCOMPLETE",
        ),
        (b"--b--\r\n", 400, "FILE_MISSING"),
        (b'--b\r\nContent-Disposition: form-data; name="other"\r\n\r\nx\r\n--b--\r\n', 400, "FILE_MISSING"),
        (
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhalf a st',
            400,
            "UPLOAD_INCOMPLETE",
        ),
    ],
)
async def test_a_broken_form_leaves_nothing_behind(
    reader: Browser, objects: ObjectStore, body: bytes, status: int, code: str
) -> None:
    kind = {"Content-Type": "multipart/form-data; boundary=b"}
    answer = await reader.send("POST", "/api/documents", data=body, headers=kind)
    assert (answer.status, answer.code) == (status, code)
    assert await nothing_is_left(objects)


async def test_other_kinds_of_bodies_are_refused(reader: Browser) -> None:
    answer = await reader.post("/api/documents", {"file": "x"})
    assert (answer.status, answer.code) == (415, "MEDIA_TYPE_UNSUPPORTED")
    form = FormData({"file": "no file name"})
    assert (await reader.send("POST", "/api/documents", data=form)).status in {400, 415}


async def test_an_upload_cut_off_half_way_leaves_nothing_behind(
    reader: Browser, objects: ObjectStore
) -> None:
    host, port = reader.client.host, reader.client.port
    cookies = "; ".join(f"{cookie.key}={cookie.value}" for cookie in reader.client.session.cookie_jar)
    _, writer = await asyncio.open_connection(host, port)
    head = (
        f"POST /api/documents HTTP/1.1\r\nHost: x\r\nOrigin: {reader.origin}\r\nCookie: {cookies}\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 10000000\r\n\r\n"
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    )
    writer.write(head.encode() + b"x" * 100_000)
    await writer.drain()
    writer.transport.abort()
    assert (await reader.get("/api/documents")).json == {"documents": []}
    async with asyncio.timeout(10):
        while not await nothing_is_left(objects):
            await asyncio.sleep(0.02)


def epub() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
    return packed.getvalue()


@pytest.mark.parametrize(
    ("start", "name", "expected"),
    [
        (epub(), "book.epub", DocumentFormat.EPUB),
        (epub(), "book.zip", DocumentFormat.EPUB),
        (epub(), "book", DocumentFormat.EPUB),
        (b"PK\x03\x04anything", "BOOK.EPUB", DocumentFormat.EPUB),
        (b"<!DOCTYPE html><p>", "page", DocumentFormat.HTML),
        (b"<p>", "page.XHTML", DocumentFormat.HTML),
        (b"%PDF-1.7", "a.txt", DocumentFormat.PDF),
        (b"\r\n%PDF-1.4", "a.pdf", DocumentFormat.PDF),
        (b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml", "a.docx", DocumentFormat.DOCX),
        (b"PK\x03\x04" + bytes(26) + b"word/document.xml", "letter", DocumentFormat.DOCX),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "protected.docx", DocumentFormat.DOCX),
        (b"# Title", "a.md", DocumentFormat.MARKDOWN),
        (b"BM is how this begins", "a.txt", DocumentFormat.TEXT),
        ("Ünïcode".encode("utf-16"), "a.txt", DocumentFormat.TEXT),
        ("Plain text without a mark".encode("utf-16-le"), "a.txt", DocumentFormat.TEXT),
        (b"\xe9t\xe9 in Latin-1", "a.txt", DocumentFormat.TEXT),
    ],
)
def test_a_format_is_known_by_bytes_and_name(start: bytes, name: str, expected: DocumentFormat) -> None:
    assert recognized_format(start, name) is expected


@pytest.mark.parametrize(
    ("start", "name", "said"),
    [
        (b"a,b,c", "a.pdf", "isn.t one"),
        (b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml", "a.xlsx", "Microsoft Office"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.doc", "old Microsoft Office"),
        (b"Dear all", "a.docx", "isn't one"),
        (b"PK\x03\x04" + bytes(30), "a.zip", "ZIP"),
        (b"\xff\xd8\xff\xe0", "a.md", "JPEG"),
        (b"MZ" + bytes(60), "a.txt", "Windows program"),
        (b"some\0binary\0thing" * 9, "a.txt", "binary"),
        (b"<html>", "a.epub", "isn't one"),
        (b"a,b,c", "a.csv", "can't be opened"),
    ],
)
def test_other_files_are_called_what_they_are(start: bytes, name: str, said: str) -> None:
    with pytest.raises(LecternError, match=said):
        recognized_format(start, name)


def test_a_file_name_is_stored_without_folders_and_control_characters() -> None:
    assert cleaned_file_name("C:\\books\\a\0\x1b.txt") == "a.txt"
    assert cleaned_file_name("../../etc/passwd") == "passwd"
    assert cleaned_file_name("/") == "Untitled"
    long = cleaned_file_name("ü" * 300 + ".epub")
    assert long.endswith(".epub")
    assert len(long.encode()) <= 255
