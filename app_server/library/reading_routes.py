"""The reading document, its sections and pictures, streamed to their owner as they lie in the store."""

import hashlib
import re
import zlib
from collections.abc import AsyncIterator
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from aiohttp import web

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.http.endpoints import Content, Endpoint, add_endpoints
from app_server.http.json_bodies import RequestQuery, read_query
from app_server.library.readings import ParserVersion, document_file, resource_file, section_file
from app_server.library.service import LibraryService
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectNotFoundError, ObjectStore

_RESOURCE_NAME: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")
_SECTION_INDEX: Final = re.compile(r"[0-9]{1,6}")
_IMAGE_TYPES: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".svg": "image/svg+xml",
}
_FONT_TYPES: Final = {f".{kind}": f"font/{kind}" for kind in ("otf", "ttf", "woff", "woff2")}
_OTHER_TYPE: Final = "application/octet-stream"
# A picture out of a hostile book, opened on its own, may do nothing but be seen.
_RESOURCE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


class SectionQuery(RequestQuery):
    parser: ParserVersion = ""


class ReadingRoutes:
    def __init__(self, *, service: LibraryService, objects: ObjectStore) -> None:
        self._service = service
        self._objects = objects

    def add_to(self, app: web.Application) -> None:
        one = "/api/documents/{document_id}"
        endpoint = partial(
            Endpoint,
            method="GET",
            tag="Reading",
            access=Access.GUEST_OR_USER,
            scope=TokenScope.DOCUMENTS_READ,
            other_answers={304: "What the caller has"},
        )
        problems = ("DOCUMENT_NOT_FOUND", "DOCUMENT_NOT_READY", "PART_NOT_FOUND")
        json = Content(("application/json",))  # lectern.reading.v1, as the worker wrote it
        add_endpoints(
            app,
            [
                endpoint(
                    path=one + "/reading",
                    handler=self.reading,
                    summary="Get the reading document: its sections and what it knows of itself",
                    answer=json,
                    problems=problems,
                ),
                endpoint(
                    path=one + "/sections/{index}",
                    handler=self.section,
                    summary="Get a section of the reading document",
                    query=SectionQuery,
                    answer=json,
                    problems=(*problems, "READING_REPLACED"),
                ),
                endpoint(
                    path=one + "/resources/{name}",
                    handler=self.resource,
                    summary="Get a picture or a font of the reading document",
                    answer=Content((*sorted({*_IMAGE_TYPES.values(), *_FONT_TYPES.values()}), _OTHER_TYPE)),
                    problems=problems,
                ),
            ],
        )

    async def reading(self, request: web.Request) -> web.StreamResponse:
        return await self._json(request, document_file(await self._reading_ref(request)))

    async def section(self, request: web.Request) -> web.StreamResponse:
        index, query = request.match_info["index"], read_query(request, SectionQuery)
        reading_ref = await self._reading_ref(request, parser=query.parser)
        if not _SECTION_INDEX.fullmatch(index):
            raise _missing()
        return await self._json(request, section_file(reading_ref, int(index)))

    async def resource(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        reading_ref = await self._reading_ref(request)
        if not _RESOURCE_NAME.fullmatch(name):
            raise _missing()
        suffix = PurePosixPath(name.lower()).suffix
        image_type = _IMAGE_TYPES.get(suffix)
        headers = {
            "Content-Type": image_type or _FONT_TYPES.get(suffix, _OTHER_TYPE),
            "Content-Security-Policy": _RESOURCE_POLICY,
            "Content-Disposition": "inline" if image_type else "attachment",
        }
        return await self._stream(request, resource_file(reading_ref, name), headers)

    async def _reading_ref(self, request: web.Request, *, parser: str = "") -> str:
        user = await require_user(request)
        document_id = request.match_info["document_id"]
        _, reading_ref = await self._service.get_ready(user.id, document_id, parser=parser)
        return reading_ref

    async def _json(self, request: web.Request, key: str) -> web.StreamResponse:
        headers = {"Content-Type": "application/json; charset=utf-8", "Vary": "Cookie, Accept-Encoding"}
        if _accepts_gzip(request):
            return await self._stream(request, key, {**headers, "Content-Encoding": "gzip"})
        return await self._stream(request, key, headers, unpack=True)

    async def _stream(
        self, request: web.Request, key: str, headers: dict[str, str], *, unpack: bool = False
    ) -> web.StreamResponse:
        # The artifacts under a reading reference never change, and who may see them is checked each time.
        etag = hashlib.sha256(f"{key} {unpack}".encode()).hexdigest()[:32]
        headers = {
            "Vary": "Cookie",
            **headers,
            "ETag": f'"{etag}"',
            "Cache-Control": "private, no-cache",
            "X-Content-Type-Options": "nosniff",
        }
        if any(tag.value in {etag, "*"} for tag in request.if_none_match or ()):
            return web.Response(
                status=304, headers={name: headers[name] for name in ("ETag", "Cache-Control", "Vary")}
            )
        chunks = self._objects.stream(key)
        try:
            first = await anext(chunks, b"")
        except ObjectNotFoundError as error:
            raise _missing() from error
        response = web.StreamResponse(headers=headers)
        await response.prepare(request)
        async for chunk in _unpacked(_joined(first, chunks)) if unpack else _joined(first, chunks):
            await response.write(chunk)
        await response.write_eof()
        return response


def _accepts_gzip(request: web.Request) -> bool:
    offers = [offer.strip().lower() for offer in request.headers.get("Accept-Encoding", "").split(",")]
    return any(
        offer.partition(";")[0].strip() in {"gzip", "*"} and not re.search(r";\s*q=0(\.0*)?$", offer)
        for offer in offers
    )


async def _joined(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    if first:
        yield first
    async for chunk in rest:
        yield chunk


async def _unpacked(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    async for chunk in chunks:
        yield unpacker.decompress(chunk)
    if not unpacker.eof:
        raise LecternError(Code.DATA_LOSS, "This part of the document is damaged.", reason="READING_DAMAGED")


def _missing() -> LecternError:
    return LecternError(Code.NOT_FOUND, "This document has no such part.", reason="PART_NOT_FOUND")
