"""The pages of a PDF as pictures: out of the store, or drawn by a worker when nobody has seen them yet."""

import re
from collections.abc import AsyncIterator
from typing import Annotated, Final

from aiohttp import web
from pydantic import AfterValidator

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.http.endpoints import Content, Endpoint, add_endpoints
from app_server.http.json_bodies import RequestQuery, read_query
from app_server.library.formats import DocumentFormat
from app_server.library.readings import page_version
from app_server.library.service import LibraryService
from app_server.worker.clients import WorkerClients, errors_for_browsers
from lectern.compute.v1.page_images_pb2 import DrawPageRequest
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectNotFoundError, ObjectStore
from shared.page_images import PAGE_IMAGE_TYPE, PAGE_WIDTHS, page_image_key

_PAGE: Final = re.compile(r"[0-9]{1,5}")
_DRAWING_SECONDS: Final = 40  # a page gets 15 s, twice, and may wait for another
_IMMUTABLE: Final = "private, max-age=31536000, immutable"


def _offered(width: int) -> int:
    if width not in PAGE_WIDTHS:
        raise ValueError(f"must be one of {', '.join(map(str, PAGE_WIDTHS))}")
    return width


class PageImageQuery(RequestQuery):
    # In pixels; the images of very long pages are narrower.
    width: Annotated[int, AfterValidator(_offered)] = 1200
    # The document's pageVersion: with it, the image of an address never changes.
    version: str = ""


class PageRoutes:
    def __init__(self, *, service: LibraryService, objects: ObjectStore, worker: WorkerClients) -> None:
        self._service = service
        self._objects = objects
        self._worker = worker

    def add_to(self, app: web.Application) -> None:
        endpoint = Endpoint(
            method="GET",
            path="/api/documents/{document_id}/pages/{page}/image",
            handler=self.image,
            summary="Get a page of a PDF as a picture",
            tag="Reading",
            access=Access.GUEST_OR_USER,
            scope=TokenScope.DOCUMENTS_READ,
            query=PageImageQuery,
            answer=Content((PAGE_IMAGE_TYPE,)),
            other_answers={304: "What the caller has"},
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
        page, version = int(number), page_version(reading_ref)
        tag = f"{version}-{page}-{query.width}"
        headers = {
            "Cache-Control": _IMMUTABLE if query.version == version else "private, no-cache",
            "ETag": f'"{tag}"',
            "Vary": "Cookie",
        }
        if any(known.value in {tag, "*"} for known in request.if_none_match or ()):
            return web.Response(status=304, headers=headers)
        first, rest = await self._opened(reading_ref, page, query.width)
        response = web.StreamResponse(
            headers={
                **headers,
                "Content-Type": PAGE_IMAGE_TYPE,
                "Content-Security-Policy": "default-src 'none'; sandbox",
                "X-Content-Type-Options": "nosniff",
            }
        )
        await response.prepare(request)
        await response.write(first)
        async for chunk in rest:
            await response.write(chunk)
        await response.write_eof()
        return response

    async def _opened(self, reading_ref: str, page: int, width: int) -> tuple[bytes, AsyncIterator[bytes]]:
        """Most images have been drawn before: the store is asked first."""
        chunks = self._objects.stream(page_image_key(reading_ref, page, width))
        try:
            return await anext(chunks), chunks
        except (ObjectNotFoundError, StopAsyncIteration):
            drawing = DrawPageRequest(reading_ref=reading_ref, page=page, width=width)
        with errors_for_browsers():
            drawn = await self._worker.page_images.DrawPage(drawing, timeout=_DRAWING_SECONDS)
        chunks = self._objects.stream(drawn.object_key)
        try:
            return await anext(chunks), chunks
        except (ObjectNotFoundError, StopAsyncIteration) as error:
            raise LecternError(
                Code.UNAVAILABLE, "This page can't be shown just now. Try again.", reason="PAGE_NOT_DRAWN"
            ) from error
