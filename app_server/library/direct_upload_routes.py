"""/api/documents/uploads: files that browsers send straight to the object store become documents."""

from functools import partial
from typing import Annotated, Literal

from aiohttp import web
from pydantic import Field

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.clock import Clock, iso_time
from app_server.compute_limits.callers import Callers
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import AnswerBody, RequestBody, StoredText, json_response, read_body
from app_server.library.changes import DocumentChanges
from app_server.library.json_mapping import AddedAnswer, added_answer
from app_server.library.service import LibraryService
from app_server.library.upload_tickets import LIFETIME_SECONDS, UploadTicket, UploadTickets
from app_server.library.uploads import (
    UPLOAD_PROBLEMS,
    UploadReceiver,
    cleaned_file_name,
    new_upload_key,
    too_large,
)
from app_server.site_features.ports import FeatureReader
from shared.errors import Code, LecternError
from shared.objects.presigner import UPLOAD_CONTENT_TYPE, Presigner


class BeginBody(RequestBody):
    file_name: Annotated[StoredText, Field(max_length=1000)]
    size_bytes: Annotated[int, Field(ge=0, le=2**53 - 1)]


class FinalizeBody(RequestBody):
    upload_id: Annotated[str, Field(max_length=4096)]
    # What the browser has made of the file, where it can; ours decides.
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None


class BegunAnswer(AnswerBody):
    upload_id: str
    method: Literal["PUT"]
    url: str
    headers: dict[str, str]
    expires_at: str


class DirectUploadRoutes:
    """presigner is None where uploads go through the app."""

    def __init__(
        self,
        *,
        presigner: Presigner | None,
        tickets: UploadTickets,
        service: LibraryService,
        receiver: UploadReceiver,
        changes: DocumentChanges,
        features: FeatureReader,
        callers: Callers,
        clock: Clock,
    ) -> None:
        self._presigner = presigner
        self._tickets = tickets
        self._service = service
        self._receiver = receiver
        self._changes = changes
        self._features = features
        self._callers = callers
        self._clock = clock

    def add_to(self, app: web.Application) -> None:
        endpoint = partial(
            Endpoint,
            method="POST",
            tag="Documents",
            access=Access.GUEST_OR_USER,
            scope=TokenScope.DOCUMENTS_WRITE,
            status=201,
        )
        add_endpoints(
            app,
            [
                endpoint(
                    path="/api/documents/uploads",
                    handler=self.begin,
                    summary="Get an address of the object store to upload a document to",
                    body=BeginBody,
                    answer=BegunAnswer,
                    problems=("FILE_EMPTY", "FILE_TOO_LARGE", "UPLOADS_PROXIED"),
                ),
                endpoint(
                    path="/api/documents/uploads/finalize",
                    handler=self.finalize,
                    summary="Make a document of what was uploaded to the object store",
                    body=FinalizeBody,
                    answer=AddedAnswer,
                    problems=(*UPLOAD_PROBLEMS, "UPLOADS_PROXIED", "UPLOAD_DAMAGED", "UPLOAD_NOT_FOUND"),
                ),
            ],
        )

    async def begin(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        body = await read_body(request, BeginBody)
        presigner = self._required_presigner()
        await self._check_size(body.size_bytes)
        ticket = UploadTicket(
            key=new_upload_key(),
            owner_id=user.id,
            file_name=cleaned_file_name(body.file_name),
            size_bytes=body.size_bytes,
        )
        url = await presigner.upload_url(ticket.key, size_bytes=ticket.size_bytes, seconds=LIFETIME_SECONDS)
        shown = BegunAnswer(
            upload_id=self._tickets.issue(ticket),
            method="PUT",
            url=url,
            headers={"Content-Type": UPLOAD_CONTENT_TYPE},
            expires_at=iso_time(self._clock() + LIFETIME_SECONDS * 1000),
        )
        return json_response(shown, status=201)

    async def finalize(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        body = await read_body(request, FinalizeBody)
        self._required_presigner()
        ticket = self._tickets.read(body.upload_id, owner_id=user.id)
        await self._check_size(ticket.size_bytes)
        async with self._receiver.adopt(ticket, sha256=body.sha256) as file:
            added = await self._service.add(self._callers.of(request, user), file)
        progress = self._changes.progress_of(added.document.id)
        return json_response(added_answer(added, progress), status=201)

    async def _check_size(self, size_bytes: int) -> None:
        if size_bytes == 0:
            raise LecternError(Code.INVALID_ARGUMENT, "This file is empty.", reason="FILE_EMPTY")
        max_bytes = (await self._features.current()).max_upload_bytes
        if size_bytes > max_bytes:
            raise too_large(max_bytes)

    def _required_presigner(self) -> Presigner:
        if self._presigner is None:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                "This instance takes files through the app: send them to /api/documents.",
                reason="UPLOADS_PROXIED",
            )
        return self._presigner
