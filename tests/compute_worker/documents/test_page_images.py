"""Pages as pictures: drawn in a process that may fall, once for everybody, and kept."""

import asyncio
import io
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pypdfium2
import pytest
from PIL import Image, ImageChops, ImageStat
from reportlab.pdfgen.canvas import Canvas

from compute_worker.documents.page_images.drawings import PageDrawings
from compute_worker.documents.page_images.open_files import DRAWING_LIMITS, OpenFiles
from compute_worker.documents.page_images.process import DrawingProcess
from compute_worker.documents.page_images.servicer import PageImageServicer
from lectern.compute.v1.page_images_pb2 import DrawPageRequest
from lectern.compute.v1.page_images_pb2 import Tile as TilePb
from shared.errors import Code, LecternError
from shared.objects.memory_store import MemoryStore
from shared.page_images import PageImage, Tile

SHA256 = "5" * 64
READING_REF = f"reading/{SHA256}/1-pdf/"


def black_squares(pages: int = 2, *, size: tuple[float, float] = (600, 800)) -> bytes:
    """White pages with a black square in the middle of the upper half."""
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=size)
    for _ in range(pages):
        canvas.rect(size[0] / 2 - 40, size[1] * 0.75 - 40, 80, 80, fill=1)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


class CountingStore(MemoryStore):
    def __init__(self) -> None:
        super().__init__()
        self.puts: list[str] = []

    async def put(self, key: str, body: bytes, *, content_type: str = "application/octet-stream") -> None:
        self.puts.append(key)
        await super().put(key, body, content_type=content_type)


@asynccontextmanager
async def drawing(file: bytes | None, **others: bytes) -> AsyncIterator[SimpleNamespace]:
    store, now = CountingStore(), SimpleNamespace(seconds=0.0)
    if file is not None:
        await store.put(f"documents/{SHA256}", file)
    for name, content in others.items():
        await store.put(f"{READING_REF}{name}.pdf", content)
    store.puts.clear()
    async with (
        OpenFiles(store=store, clock=lambda: now.seconds) as files,
        PageDrawings(store=store, files=files) as drawings,
    ):
        yield SimpleNamespace(store=store, files=files, now=now, drawings=drawings)


async def image_at(store: MemoryStore, key: str) -> Image.Image:
    return Image.open(io.BytesIO(await store.get(key)))


def darkness(image: Image.Image, x: int, y: int) -> float:
    return 1 - image.convert("L").crop((x, y, x + 1, y + 1)).tobytes()[0] / 255


async def test_a_page_is_drawn_once_for_all_who_ask_and_kept() -> None:
    async with drawing(black_squares()) as here:
        keys = await asyncio.gather(
            *(here.drawings.image_key(READING_REF, PageImage(1, 320)) for _ in range(5))
        )
        assert set(keys) == set(here.store.puts)
        assert len(here.store.puts) == 1
        image = await image_at(here.store, keys[0])
        assert (image.format, image.size) == ("JPEG", (320, 427))
        assert darkness(image, 160, 107) > 0.9
        assert darkness(image, 160, 320) < 0.1
        await here.drawings.image_key(READING_REF, PageImage(0, 640))
        assert len(here.files.process_ids) == 1
        (process_id,) = here.files.process_ids
        here.now.seconds += 61
        await here.files.close_idle()
        assert here.files.process_ids == []
        with pytest.raises(ProcessLookupError):
            os.kill(process_id, 0)
        assert await here.drawings.image_key(READING_REF, PageImage(1, 320)) == keys[0]
        assert here.files.process_ids == []


async def test_what_a_password_opened_is_drawn_from_the_copy_without_its_lock() -> None:
    async with drawing(b"%PDF-1.7 locked", unlocked=black_squares(1)) as here:
        key = await here.drawings.image_key(READING_REF, PageImage(0, 320))
        assert (await image_at(here.store, key)).size == (320, 427)


async def test_a_page_as_long_as_a_roll_is_narrower_than_asked() -> None:
    async with drawing(black_squares(1, size=(100, 14_400))) as here:
        image = await image_at(here.store, await here.drawings.image_key(READING_REF, PageImage(0, 4000)))
        assert image.width * image.height <= 24_100_000
        assert image.height > 100 * image.width


@pytest.mark.parametrize("width", [800, 11_200])
async def test_squares_make_up_the_page_that_pdfium_draws(tmp_path: Path, width: int) -> None:
    canvas = Canvas(str(tmp_path / "page.pdf"), pagesize=(600, 450))
    canvas.setFont("Times-Roman", 9)
    for row in range(40):
        canvas.drawString(20 + row, 440 - row * 11, "Thin lines and small letters, sharp at every zoom. " * 2)
        canvas.line(10, 435 - row * 11, 590, 436 - row * 11)
    canvas.save()
    file = (tmp_path / "page.pdf").read_bytes()
    with pypdfium2.PdfDocument(file) as document:
        whole = document[0].render(scale=width / 600, rev_byteorder=True).to_pil().convert("L")
    assert whole.size == (width, width * 3 // 4)
    columns, rows = -(-whole.width // 1024), -(-whole.height // 1024)
    async with drawing(file) as here:
        for column, row in {(0, 0), (columns // 2, rows // 2), (columns - 1, rows - 1)}:
            key = await here.drawings.image_key(READING_REF, PageImage(0, width, Tile(column, row)))
            image = (await image_at(here.store, key)).convert("L")
            area = (
                column * 1024,
                row * 1024,
                min(whole.width, column * 1024 + 1024),
                min(whole.height, row * 1024 + 1024),
            )
            difference = ImageChops.difference(image, whole.crop(area))
            assert max(ImageStat.Stat(difference).mean) < 3  # as JPEG has it
            assert ImageStat.Stat(image).stddev[0] > 20  # it is not blank
        for beyond in (Tile(columns, 0), Tile(0, rows)):
            with pytest.raises(LecternError, match="no such page"):
                await here.drawings.image_key(READING_REF, PageImage(0, width, beyond))


@pytest.mark.parametrize(
    ("file", "page", "reason"),
    [
        (black_squares(), 2, "PART_NOT_FOUND"),
        (None, 0, "FILE_GONE"),
        (b"%PDF-1.7\nnothing else", 0, "PDF_DAMAGED"),
    ],
)
async def test_what_cannot_be_drawn_says_why_each_time(file: bytes | None, page: int, reason: str) -> None:
    async with drawing(file) as here:
        for _ in range(2):
            with pytest.raises(LecternError) as caught:
                await here.drawings.image_key(READING_REF, PageImage(page, 320))
            assert caught.value.reason == reason
        assert here.store.puts == []


@pytest.mark.parametrize("name", ["bad-bomb-giant", "bad-page-tree-cycle"])
async def test_a_hostile_file_ends_in_an_image_or_a_clear_error(samples: Path, name: str) -> None:
    async with drawing((samples / f"pdf/{name}.pdf").read_bytes()) as here:
        try:
            key = await here.drawings.image_key(READING_REF, PageImage(0, 320))
        except LecternError as error:
            reason = error.reason
        else:
            reason = "" if (await image_at(here.store, key)).width == 320 else "OTHER_WIDTH"
    assert reason in {"", "PAGE_TOO_COMPLEX", "PAGE_NOT_DRAWN", "PDF_DAMAGED", "PART_NOT_FOUND"}


@pytest.mark.parametrize(
    ("trouble", "seconds", "reason"),
    [(signal.SIGSTOP, 0.5, "PAGE_TOO_COMPLEX"), (signal.SIGKILL, 60.0, "PAGE_NOT_DRAWN")],
)
async def test_a_process_that_hangs_or_falls_is_ended_and_told_of(
    tmp_path: Path, trouble: signal.Signals, seconds: float, reason: str
) -> None:
    process = DrawingProcess(path=tmp_path, limits=replace(DRAWING_LIMITS, wall_seconds=seconds))
    await process.start()
    assert process.process_id
    os.kill(process.process_id, trouble)
    with pytest.raises(LecternError) as caught:
        await process.draw(PageImage(0, 320))
    assert caught.value.reason == reason
    assert process.is_over


@pytest.mark.parametrize(
    ("field", "request_"),
    [
        ("tile", DrawPageRequest(reading_ref=READING_REF, width=8000, tile=TilePb(column=-1))),
        ("width", DrawPageRequest(reading_ref=READING_REF, width=8000)),
        ("width", DrawPageRequest(reading_ref=READING_REF, width=8001, tile=TilePb())),
        ("reading_ref", DrawPageRequest(width=1200)),
        ("reading_ref", DrawPageRequest(reading_ref=f"reading/{SHA256}/1-epub/", width=1200)),
        ("reading_ref", DrawPageRequest(reading_ref=f"reading/{SHA256}/../1-pdf/", width=1200)),
        ("page", DrawPageRequest(reading_ref=READING_REF, page=-1, width=1200)),
        ("width", DrawPageRequest(reading_ref=READING_REF, width=1201)),
    ],
)
async def test_what_is_wrong_with_a_request_is_named(field: str, request_: DrawPageRequest) -> None:
    async with drawing(black_squares()) as here:
        with pytest.raises(LecternError) as caught:
            await PageImageServicer(drawings=here.drawings).DrawPage(request_, None)
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert caught.value.details == {"field": field}
