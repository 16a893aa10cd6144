"""/api/documents: the library."""

import asyncio
from collections.abc import AsyncGenerator
from functools import partial
from typing import Annotated

from aiohttp import web
from pydantic import Field

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.clock import Clock
from app_server.compute_limits.callers import Callers
from app_server.compute_limits.refusals import LIMIT_PROBLEMS
from app_server.http.endpoints import Endpoint, Events, FileUpload, add_endpoints
from app_server.http.event_stream import ServerEvent, send_events
from app_server.http.json_bodies import (
    RequestBody,
    StoredText,
    json_response,
    no_content,
    read_body,
    shown_json,
)
from app_server.library.changes import DocumentChanges
from app_server.library.json_mapping import (
    AddedAnswer,
    DocumentAnswer,
    DocumentsAnswer,
    ShownDocument,
    added_answer,
    shown_document,
)
from app_server.library.kept_places import KeptPlaces
from app_server.library.model import Document, DocumentState, Position
from app_server.library.parsing import ParsingWatcher
from app_server.library.readings import ParserVersion
from app_server.library.renewals import Renewals
from app_server.library.service import LibraryService
from app_server.library.upload_parts import chunks_of, file_part
from app_server.library.uploads import UPLOAD_PROBLEMS, UploadReceiver, too_large
from app_server.site_features.ports import FeatureReader
from shared.errors import LecternError

_FORM_OVERHEAD_BYTES = 64 * 1024
_LEAST_INTERVAL_SECONDS = 0.2
# Another app server may follow the document; its news reach this one through the database.
_LONGEST_INTERVAL_SECONDS = 3.0
_Count = Annotated[int, Field(ge=0, le=2**31 - 1)]


class PositionBody(RequestBody):
    segment_ordinal: _Count
    block_id: Annotated[StoredText, Field(max_length=100)]
    offset: _Count
    section: _Count
    fraction: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
    # Whose blocks are named.
    parser: ParserVersion = ""


class DocumentRoutes:
    def __init__(
        self,
        *,
        service: LibraryService,
        receiver: UploadReceiver,
        watcher: ParsingWatcher,
        renewals: Renewals,
        places: KeptPlaces,
        changes: DocumentChanges,
        features: FeatureReader,
        callers: Callers,
        clock: Clock,
    ) -> None:
        self._service = service
        self._receiver = receiver
        self._watcher = watcher
        self._renewals = renewals
        self._places = places
        self._changes = changes
        self._features = features
        self._callers = callers
        self._clock = clock

    def add_to(self, app: web.Application) -> None:
        one = "/api/documents/{document_id}"
        reads = partial(
            Endpoint, tag="Documents", access=Access.GUEST_OR_USER, scope=TokenScope.DOCUMENTS_READ
        )
        writes = partial(
            Endpoint, tag="Documents", access=Access.GUEST_OR_USER, scope=TokenScope.DOCUMENTS_WRITE
        )
        add_endpoints(
            app,
            [
                reads(
                    method="GET",
                    path="/api/documents",
                    handler=self.list,
                    summary="List the documents of the library",
                    answer=DocumentsAnswer,
                ),
                writes(
                    method="POST",
                    path="/api/documents",
                    handler=self.upload,
                    summary="Upload a document",
                    body=FileUpload(part="file"),
                    answer=AddedAnswer,
                    status=201,
                    problems=UPLOAD_PROBLEMS,
                ),
                reads(
                    method="GET",
                    path=one,
                    handler=self.get,
                    summary="Get a document",
                    answer=DocumentAnswer,
                    problems=("DOCUMENT_NOT_FOUND",),
                ),
                writes(
                    method="DELETE",
                    path=one,
                    handler=self.delete,
                    summary="Delete a document",
                    status=204,
                    problems=("DOCUMENT_NOT_FOUND",),
                ),
                writes(
                    method="POST",
                    path=one + "/retry",
                    handler=self.retry,
                    summary="Parse a document once more that could not be parsed",
                    answer=DocumentAnswer,
                    status=202,
                    problems=("DOCUMENT_NOT_FOUND", *LIMIT_PROBLEMS),
                ),
                writes(
                    method="POST",
                    path=one + "/renewal",
                    handler=self.renew,
                    summary="Read a document again that an older version has read; it can be read meanwhile",
                    answer=DocumentAnswer,
                    status=202,
                    problems=("DOCUMENT_NOT_FOUND",),
                ),
                writes(
                    method="DELETE",
                    path=one + "/renewal",
                    handler=self.put_off_renewal,
                    summary="Leave a document as it was read, until it is opened next",
                    status=204,
                    problems=("DOCUMENT_NOT_FOUND",),
                ),
                reads(
                    method="GET",
                    path=one + "/events",
                    handler=self.events,
                    summary="Follow a document until nothing is done with it any more",
                    answer=Events({"document": ShownDocument}),
                    problems=("DOCUMENT_NOT_FOUND",),
                ),
                writes(
                    method="PUT",
                    path=one + "/position",
                    handler=self.put_position,
                    summary="Keep the place of the reader",
                    body=PositionBody,
                    status=204,
                    problems=("DOCUMENT_NOT_FOUND",),
                ),
            ],
        )

    async def list(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        documents = await self._service.list(user.id)
        return json_response(DocumentsAnswer(documents=[self._shown(document) for document in documents]))

    async def upload(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        max_bytes = (await self._features.current()).max_upload_bytes
        if (request.content_length or 0) > max_bytes + _FORM_OVERHEAD_BYTES:
            raise too_large(max_bytes)
        part = await file_part(request)
        received = self._receiver.receive(chunks_of(part), file_name=part.filename or "", max_bytes=max_bytes)
        async with received as file:
            added = await self._service.add(self._callers.of(request, user), file)
        progress = self._changes.progress_of(added.document.id)
        return json_response(added_answer(added, progress), status=201)

    async def get(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        document = await self._service.get(user.id, request.match_info["document_id"])
        return json_response(DocumentAnswer(document=self._shown(document)))

    async def delete(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        await self._service.delete(user.id, request.match_info["document_id"])
        return no_content()

    async def retry(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        caller = self._callers.of(request, user)
        document = await self._service.retry(caller, request.match_info["document_id"])
        return json_response(DocumentAnswer(document=self._shown(document)), status=202)

    async def renew(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        document = await self._service.get(user.id, request.match_info["document_id"])
        self._renewals.begin(document)
        return json_response(DocumentAnswer(document=self._shown(document)), status=202)

    async def put_off_renewal(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        document = await self._service.get(user.id, request.match_info["document_id"])
        self._renewals.put_off(document.id)
        return no_content()

    async def put_position(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        body = await read_body(request, PositionBody)
        document = await self._service.get(user.id, request.match_info["document_id"])
        position = Position(**body.model_dump(exclude={"parser"}), updated_at_ms=self._clock())
        await self._places.save(document, position, parser=body.parser)
        return no_content()

    async def events(self, request: web.Request) -> web.StreamResponse:
        user = await require_user(request)
        document = await self._service.get(user.id, request.match_info["document_id"])
        return await send_events(request, self._follow(document))

    async def _follow(self, document: Document) -> AsyncGenerator[ServerEvent, None]:
        shown = None
        with self._changes.listen(document.id) as changed:
            while True:
                changed.clear()
                event = ServerEvent("document", shown_json(self._shown(document)))
                if event != shown:
                    yield event
                    shown = event
                if document.state is DocumentState.PROCESSING:
                    self._watcher.follow(document.id)
                elif not self._renewals.is_running(document.id):
                    return
                await _pause(changed)
                try:
                    document = await self._service.get(document.owner_id, document.id)
                except LecternError:
                    return  # deleted meanwhile, or the browser asks again

    def _shown(self, document: Document) -> ShownDocument:
        return shown_document(document, self._changes.progress_of(document.id))


async def _pause(changed: asyncio.Event) -> None:
    await asyncio.sleep(_LEAST_INTERVAL_SECONDS)
    try:
        async with asyncio.timeout(_LONGEST_INTERVAL_SECONDS):
            await changed.wait()
    except TimeoutError:
        pass
