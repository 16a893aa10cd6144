"""PageImageService: draws a page of a PDF, or finds that it has been drawn."""

import re
from typing import Any, Final

from compute_worker.documents.page_images.drawings import PageDrawings
from lectern.compute.v1 import page_images_pb2 as pb
from lectern.compute.v1.page_images_pb2_grpc import PageImageServiceServicer
from shared.errors import Code, LecternError
from shared.page_images import PAGE_WIDTHS, TILED_WIDTHS, PageImage, Tile

_READING_REF: Final = re.compile(r"reading/[0-9a-f]{64}/[A-Za-z0-9._]{1,20}-pdf[A-Za-z0-9._-]{0,80}/")


class PageImageServicer(PageImageServiceServicer):
    def __init__(self, *, drawings: PageDrawings) -> None:
        self._drawings = drawings

    async def DrawPage(self, request: pb.DrawPageRequest, context: Any) -> pb.DrawPageResponse:
        if not _READING_REF.fullmatch(request.reading_ref):
            raise _invalid("reading_ref", "reading_ref must be the reference of a PDF's reading document.")
        if request.page < 0:
            raise _invalid("page", "page must be 0 or more.")
        tile = Tile(request.tile.column, request.tile.row) if request.HasField("tile") else None
        if tile is not None and min(tile.column, tile.row) < 0:
            raise _invalid("tile", "column and row of tile must be 0 or more.")
        image = PageImage(request.page, request.width, tile)
        if not image.is_offered:
            offered = PAGE_WIDTHS if tile is None else TILED_WIDTHS
            raise _invalid("width", f"width must be one of {', '.join(map(str, offered))}.")
        key = await self._drawings.image_key(request.reading_ref, image)
        return pb.DrawPageResponse(object_key=key)


def _invalid(field: str, message: str) -> LecternError:
    return LecternError(Code.INVALID_ARGUMENT, message, details={"field": field})
