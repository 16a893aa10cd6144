"""Draws what has not been drawn yet, each image once however many ask, and keeps it in the object store."""

import asyncio
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from compute_worker.documents.page_images.open_files import OpenFiles
from shared.errors import LecternError
from shared.objects.ports import ObjectStore
from shared.page_images import PAGE_IMAGE_TYPE, PageImage, page_image_key

_AT_ONCE: Final = 2  # pages of different files; those of one file wait for each other


@dataclass
class _Drawing:
    task: "asyncio.Task[None]"
    waiting: int = 0


class PageDrawings:
    """An async context manager."""

    def __init__(self, *, store: ObjectStore, files: OpenFiles) -> None:
        self._store = store
        self._files = files
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._drawings: dict[str, _Drawing] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        tasks = [drawing.task for drawing in self._drawings.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def image_key(self, reading_ref: str, image: PageImage) -> str:
        """Of an image that exists. Raises PART_NOT_FOUND, PAGE_TOO_COMPLEX, PAGE_NOT_DRAWN or FILE_GONE, and
        what is wrong with the file."""
        key = page_image_key(reading_ref, image)
        if await self._store.info(key) is None:
            drawing = self._drawings.get(key) or self._begun(key, reading_ref, image)
            drawing.waiting += 1
            try:
                await asyncio.shield(drawing.task)
            finally:
                drawing.waiting -= 1
        return key

    def _begun(self, key: str, reading_ref: str, image: PageImage) -> _Drawing:
        task = asyncio.create_task(self._draw(key, reading_ref, image))
        task.add_done_callback(lambda task: self._ended(key, task))
        drawing = self._drawings[key] = _Drawing(task)
        return drawing

    def _ended(self, key: str, task: "asyncio.Task[None]") -> None:
        if key in self._drawings and self._drawings[key].task is task:
            del self._drawings[key]
        if not task.cancelled():
            task.exception()  # whoever still waits has it

    async def _draw(self, key: str, reading_ref: str, image: PageImage) -> None:
        drawn = await self._drawn(key, reading_ref, image)
        if drawn is not None:
            await self._store.put(key, drawn, content_type=PAGE_IMAGE_TYPE)

    async def _drawn(self, key: str, reading_ref: str, image: PageImage) -> bytes | None:
        """None when nobody waits for it any more."""
        while True:
            async with self._files.opened(reading_ref) as process, process.turn, self._slots:
                if not self._drawings[key].waiting:
                    del self._drawings[key]  # they have turned over; who comes back begins anew
                    return None
                if process.is_over:
                    continue  # it fell over somebody else's page
                is_fresh = process.images_drawn == 0
                try:
                    return await process.draw(image)
                except LecternError:
                    # After many pages it may be at the end of its processor time: this one gets another.
                    if is_fresh or not process.is_over:
                        raise
