"""The pictures of a PDF's pages, to their owner and in addresses that never show anything else."""

import pytest
from app_fixtures.browser import Browser, Instance
from app_fixtures.worker import PAGE, StatefulWorker

PDF = b"%PDF-1.7 with a page"


async def test_a_page_is_drawn_once_and_kept_by_the_browser(reader: Browser, worker: StatefulWorker) -> None:
    identifier = await reader.add_document(PDF, "paper.pdf")
    shown = (await reader.get(f"/api/documents/{identifier}")).json["document"]
    address = f"/api/documents/{identifier}/pages/0/image?width=1000&version={shown['pageVersion']}"
    first, second = await reader.get(address), await reader.get(address)
    assert first.body == second.body == PAGE
    assert first.headers["Content-Type"] == "image/jpeg"
    assert first.headers["Cache-Control"] == "private, max-age=31536000, immutable"
    assert first.headers["Content-Security-Policy"].endswith("sandbox")
    assert [(drawn.page, drawn.width) for drawn in worker.pages_drawn] == [(0, 1000)]
    again = await reader.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")
    part = await reader.get(address, headers={"Range": "bytes=0-2"})
    assert (part.status, part.body, part.headers["Content-Range"]) == (
        206,
        PAGE[:3],
        f"bytes 0-2/{len(PAGE)}",
    )
    other = await reader.get(
        address.replace("1000", "1200"), headers={"If-None-Match": first.headers["ETag"]}
    )
    assert other.status == 200


async def test_a_square_of_a_wider_page_is_drawn_once_and_kept(
    reader: Browser, worker: StatefulWorker
) -> None:
    identifier = await reader.add_document(PDF, "paper.pdf")
    path = f"/api/documents/{identifier}/pages/0/image?width=8000&row=2&column="
    tags = set()
    for column in (0, 1, 1):
        answer = await reader.get(f"{path}{column}")
        assert answer.body == PAGE
        tags.add(answer.headers["ETag"])
    assert len(tags) == 2
    drawn = [(drawn.width, drawn.tile.column, drawn.tile.row) for drawn in worker.pages_drawn]
    assert drawn == [(8000, 0, 2), (8000, 1, 2)]


async def test_an_address_of_another_version_is_asked_for_again_each_time(reader: Browser) -> None:
    identifier = await reader.add_document(PDF, "paper.pdf")
    for version in ("", "&version=0123456789abcdef"):
        answer = await reader.get(f"/api/documents/{identifier}/pages/0/image?width=320{version}")
        assert (answer.status, answer.headers["Cache-Control"]) == (200, "private, no-cache")


@pytest.mark.parametrize(
    ("rest", "status", "code"),
    [
        ("7/image", 404, "PART_NOT_FOUND"),
        ("x/image", 404, "PART_NOT_FOUND"),
        ("-1/image", 404, "PART_NOT_FOUND"),
        ("0/image?width=1201", 422, "FIELDS_INVALID"),
        ("0/image?width=wide", 422, "FIELDS_INVALID"),
        ("0/image?width=8000", 422, "FIELDS_INVALID"),
        ("0/image?width=8000&row=1", 422, "FIELDS_INVALID"),
        ("0/image?width=8000&column=1", 422, "FIELDS_INVALID"),
        ("0/image?width=8000&column=1&row=-1", 422, "FIELDS_INVALID"),
        ("0/image?width=8001&column=1&row=1", 422, "FIELDS_INVALID"),
        ("1/image?width=8000&column=1&row=1", 404, "PART_NOT_FOUND"),
    ],
)
async def test_what_is_not_offered_is_refused(reader: Browser, rest: str, status: int, code: str) -> None:
    identifier = await reader.add_document(PDF, "paper.pdf")
    answer = await reader.get(f"/api/documents/{identifier}/pages/{rest}")
    assert (answer.status, answer.code) == (status, code)


async def test_documents_without_pages_have_no_images(reader: Browser) -> None:
    identifier = await reader.add_document()
    assert (await reader.get(f"/api/documents/{identifier}")).json["document"]["pageVersion"] is None
    assert (await reader.get(f"/api/documents/{identifier}/pages/0/image")).code == "PART_NOT_FOUND"


async def test_nobody_sees_the_pages_of_anothers_document(instance: Instance) -> None:
    ada, eve = await instance.new_reader("ada@example.org"), await instance.new_reader("eve@example.org")
    path = f"/api/documents/{await ada.add_document(PDF, 'paper.pdf')}/pages/0/image?width=320"
    assert (await ada.get(path)).status == 200
    answer = await eve.get(path)
    assert (answer.status, answer.code) == (404, "DOCUMENT_NOT_FOUND")


async def test_without_a_worker_drawn_pages_are_shown_and_others_say_so(
    reader: Browser, worker: StatefulWorker
) -> None:
    identifier = await reader.add_document(PDF, "paper.pdf")
    path = f"/api/documents/{identifier}/pages/0/image?width="
    assert (await reader.get(path + "320")).status == 200
    await worker.stop()
    assert (await reader.get(path + "320")).status == 200
    answer = await reader.get(path + "480")
    assert (answer.status, answer.code) == (503, "WORKER_UNAVAILABLE")
