"""The pages of a PDF as pictures: out of the store, or drawn by a worker when nobody has seen them yet."""

import re
from pathlib import PurePosixPath
from typing import Annotated, Final

from aiohttp import web
from pydantic import Field, ValidationInfo, field_validator

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.http.endpoints import Content, Endpoint, add_endpoints
from app_server.http.json_bodies import RequestQuery, read_query
from app_server.library.formats import DocumentFormat
from app_server.library.readings import page_version
from app_server.library.service import LibraryService
from app_server.library.stored_files import RANGE_ANSWERS, StoredFile, StoredFileSender
from app_server.worker.clients import WorkerClients, errors_for_browsers
from lectern.compute.v1.page_images_pb2 import DrawPageRequest
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectInfo, ObjectStore
from shared.page_images import PAGE_IMAGE_TYPE, PAGE_WIDTHS, TILED_WIDTHS, PageImage, Tile, page_image_key

_PAGE: Final = re.compile(r"[0-9]{1,5}")
_DRAWING_SECONDS: Final = 40  # a page gets 15 s, twice, and may wait for another
_IMMUTABLE: Final = "private, max-age=31536000, immutable"


_Count = Annotated[int, Field(ge=0, le=9999)]


class PageImageQuery(RequestQuery):
    # Of a square of 1,024 pixels of a page that is so wide, from 0; both or none.
    column: _Count | None = None
    row: Annotated[_Count | None, Field(validate_default=True)] = None
    # In pixels; the images of very long pages are narrower. Squares are offered of wider ones, too.
    width: Annotated[int, Field(ge=min(TILED_WIDTHS), le=max(TILED_WIDTHS))] = 1200
    # The document's pageVersion: with it, the image of an address never changes.
    version: str = ""

    @field_validator("row")
    @classmethod
    def _comes_with_column(cls, row: int | None, info: ValidationInfo) -> int | None:
        if (row is None) != (info.data.get("column") is None):
            raise ValueError("must be given together with column, or neither of them")
        return row

    @field_validator("width")
    @classmethod
    def _is_offered(cls, width: int, info: ValidationInfo) -> int:
        offered = PAGE_WIDTHS if info.data.get("row") is None else TILED_WIDTHS
        if width not in offered:
            raise ValueError(f"must be one of {', '.join(map(str, offered))}")
        return width

    def of_page(self, page: int) -> PageImage:
        tile = None if self.column is None or self.row is None else Tile(self.column, self.row)
        return PageImage(page, self.width, tile)


class PageRoutes:
    def __init__(self, *, service: LibraryService, objects: ObjectStore, worker: WorkerClients) -> None:
        self._service = service
        self._objects = objects
        self._worker = worker
        # Never by an address of the store: that is another one each time, and browsers keep these pictures.
        self._sender = StoredFileSender(objects=objects, presigner=None)

    def add_to(self, app: web.Application) -> None:
        endpoint = Endpoint(
            method="GET",
            path="/api/documents/{document_id}/pages/{page}/image",
            handler=self.image,
            summary="Get a page of a PDF, or a square of it, as a picture",
            tag="Reading",
            access=Access.GUEST_OR_USER,
            scope=TokenScope.DOCUMENTS_READ,
            query=PageImageQuery,
            answer=Content((PAGE_IMAGE_TYPE,)),
            other_answers={status: meaning for status, meaning in RANGE_ANSWERS.items() if status != 307},
            problems=(
                "DOCUMENT_NOT_FOUND",
                "DOCUMENT_NOT_READY",
                "FILE_GONE",
                "PAGE_NOT_DRAWN",
                "PAGE_TOO_COMPLEX",
                "PART_NOT_FOUND",
                "WORKER_UNAVAILABLE",
            ),
        )
        add_endpoints(app, [endpoint])

    async def image(self, request: web.Request) -> web.StreamResponse:
        query, number = read_query(request, PageImageQuery), request.match_info["page"]
        user = await require_user(request)
        document, reading_ref = await self._service.get_ready(user.id, request.match_info["document_id"])
        if document.format is not DocumentFormat.PDF or not _PAGE.fullmatch(number):
            raise LecternError(Code.NOT_FOUND, "This document has no such page.", reason="PART_NOT_FOUND")
        image, version = query.of_page(int(number)), page_version(reading_ref)
        drawn = await self._drawn(reading_ref, image)
        file = StoredFile(
            key=drawn.key,
            tag=f"{version}-{PurePosixPath(drawn.key).stem}",
            size_bytes=drawn.size_bytes,
            content_type=PAGE_IMAGE_TYPE,
            content_disposition="inline",
            gone=_not_drawn(),
            headers={"Cache-Control": _IMMUTABLE if query.version == version else "private, no-cache"},
        )
        return await self._sender.send(request, file)

    async def _drawn(self, reading_ref: str, image: PageImage) -> ObjectInfo:
        """Most images have been drawn before: the store is asked first."""
        stored = await self._objects.info(page_image_key(reading_ref, image))
        if stored is None:
            drawing = DrawPageRequest(reading_ref=reading_ref, page=image.page, width=image.width)
            if image.tile is not None:
                drawing.tile.column, drawing.tile.row = image.tile.column, image.tile.row
                drawing.tile.SetInParent()
            with errors_for_browsers():
                drawn = await self._worker.page_images.DrawPage(drawing, timeout=_DRAWING_SECONDS)
            stored = await self._objects.info(drawn.object_key)
        if stored is None:
            raise _not_drawn()
        return stored


def _not_drawn() -> LecternError:
    return LecternError(
        Code.UNAVAILABLE, "This page can't be shown just now. Try again.", reason="PAGE_NOT_DRAWN"
    )
